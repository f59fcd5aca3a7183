import { leastPassphrase } from '../../../shared/least-passphrase.ts';

/** The error in a new passphrase, as a sentence; empty without an error. */
export const passphraseError = (typed: string): string =>
  typed === '' || typed.length >= leastPassphrase ? '' : `Use at least ${leastPassphrase} characters.`;

export const isNewPassphrase = (typed: string, confirmed: string): boolean =>
  typed.length >= leastPassphrase && typed === confirmed;

/** The error in the repeated passphrase; empty without an error, or if nothing has been typed yet. */
export const confirmError = (typed: string, confirmed: string): string =>
  confirmed === '' || confirmed === typed ? '' : 'The two entries do not match.';
