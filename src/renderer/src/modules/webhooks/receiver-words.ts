import type { ReceivedCall, ReceiverBehaviour } from '../../../../shared/contract/receiver.ts';

/** What the local receiver does, in words. */
export const behaviourWords: Readonly<Record<ReceiverBehaviour, string>> = {
  verify: 'Verifies: arePoliciesVerified: true',
  deny: 'Does not verify: false',
  oldSpelling: 'Verifies in the old spelling: arePoliciesVerifed',
  refuse: 'Refuses the call: status 403',
  fail: 'Fails: status 500',
  notJson: 'Answers HTML instead of JSON',
  hang: 'Never answers: the call times out',
  tooLarge: 'Answers more than 64 KiB',
  redirect: 'Redirects: status 302',
  disconnect: 'Closes the connection without an answer',
};

/** What the signature of a received call is worth, in words. */
export const signatureWords: Readonly<Record<ReceivedCall['signature'], string>> = {
  valid: 'Signature is valid',
  wrong: 'Signature is wrong',
  missing: 'Not signed',
  old: 'Signature is too old',
  unchecked: 'Signature not checked',
};
