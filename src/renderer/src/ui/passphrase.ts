import { leastPassphrase } from '../../../shared/least-passphrase.ts';

/** The error of a new passphrase as a sentence; empty without an error. */
export const passphraseError = (typed: string): string =>
  typed === '' || typed.length >= leastPassphrase ? '' : `Use at least ${leastPassphrase} characters.`;

export const isNewPassphrase = (typed: string, confirmed: string): boolean =>
  typed.length >= leastPassphrase && typed === confirmed;

/** The error of its repetition; empty without an error, or if nothing is typed yet. */
export const confirmError = (typed: string, confirmed: string): string =>
  confirmed === '' || confirmed === typed ? '' : 'The two entries do not match.';
