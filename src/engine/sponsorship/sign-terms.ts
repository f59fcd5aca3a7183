import type { SponsorshipTerms } from '../../core/paymaster-layouts/layout.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import type { ReadyPaymaster } from '../paymaster/readiness.ts';
import { signDigest } from '../signer/sign.ts';

export const signTerms = (
  { layout, key }: Pick<ReadyPaymaster, 'layout' | 'key'>,
  op: UserOperation,
  terms: SponsorshipTerms,
): Hex => layout.encode(op, terms, signDigest(key.reveal(), layout.hash(op, terms)));
