import { leastPassphrase } from '../../../shared/least-passphrase.ts';

/** What is wrong with a new passphrase while it is typed, in a sentence; empty if nothing is. */
export const passphraseFault = (typed: string): string =>
  typed === '' || typed.length >= leastPassphrase ? '' : `Use at least ${leastPassphrase} characters.`;

/** Whether a new passphrase is long enough and was typed twice. */
export const isNewPassphrase = (typed: string, confirmed: string): boolean =>
  typed.length >= leastPassphrase && typed === confirmed;

/** What is wrong with its repetition; empty if nothing is, or nothing is typed yet. */
export const confirmFault = (typed: string, confirmed: string): string =>
  confirmed === '' || confirmed === typed ? '' : 'The two entries do not match.';
