import type { SponsorshipTerms } from '../../core/paymaster-layouts/layout.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import type { ReadyPaymaster } from '../paymaster/readiness.ts';
import { ethSignedDigest, signDigest } from '../signer/sign.ts';
import type { SigningThread } from '../signer/signing-thread.ts';

/** Signs the terms of an operation. @returns its `paymasterAndData` */
export const signTerms = (
  { layout, key }: Pick<ReadyPaymaster, 'layout' | 'key'>,
  op: UserOperation,
  terms: SponsorshipTerms,
): Hex => layout.encode(op, terms, signDigest(key.reveal(), layout.hash(op, terms)));

/** The same, in another thread if possible. @returns a function that returns the signed `paymasterAndData` */
export const beginToSign = (
  thread: Pick<SigningThread, 'begin'>,
  { layout, key }: Pick<ReadyPaymaster, 'layout' | 'key'>,
  op: UserOperation,
  terms: SponsorshipTerms,
): (() => Hex) => {
  const signature = thread.begin(key.reveal(), ethSignedDigest(layout.hash(op, terms)));
  return () => layout.encode(op, terms, signature());
};
