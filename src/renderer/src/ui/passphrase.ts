import { leastPassphrase } from '../../../shared/least-passphrase.ts';

/** The fault of a new passphrase as a sentence; empty without a fault. */
export const passphraseFault = (typed: string): string =>
  typed === '' || typed.length >= leastPassphrase ? '' : `Use at least ${leastPassphrase} characters.`;

export const isNewPassphrase = (typed: string, confirmed: string): boolean =>
  typed.length >= leastPassphrase && typed === confirmed;

/** The fault of its repetition; empty without a fault, or if nothing is typed yet. */
export const confirmFault = (typed: string, confirmed: string): string =>
  confirmed === '' || confirmed === typed ? '' : 'The two entries do not match.';
