import { hexlify } from 'ethers';
import { acceptInstead } from '../chain/gas/stand-in-signer.ts';
import type { GasRequest } from '../chain/gas/gas-request.ts';
import type { RpcClient } from '../chain/rpc.ts';
import type { Entropy } from '../base/clock.ts';
import { STUB_SIGNATURE, type SponsorshipTerms } from '../../core/paymaster-layouts/layout.ts';
import type { ReadyPaymaster } from '../paymaster/readiness.ts';
import { Secret } from '../base/secret.ts';
import { addressOf } from '../signer/chain-signer.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import { signTerms } from './sign-terms.ts';

/**
 * A validity window in 2019 and 2020, which has expired on every chain. Its times have as many non-zero bytes as
 * current times.
 */
const PAST = { validAfter: 0x5d_5d_5d_5d, validUntil: 0x5e_5e_5e_5e };

/** The part of a gas request that determines how drafts are signed. */
export type Drafts = Pick<GasRequest, 'sponsor' | 'state'>;

export interface DraftQuestion {
  readonly ready: ReadyPaymaster;
  readonly terms: SponsorshipTerms;
  readonly rpc: RpcClient;
  readonly entropy: Entropy;
}

/** Some contracts sign no validity window (1.0.0), so their signatures never expire. */
const hasWindow = ({ layout }: ReadyPaymaster, op: UserOperation, terms: SponsorshipTerms): boolean =>
  layout.encode(op, terms, STUB_SIGNATURE) !== layout.encode(op, { ...terms, ...PAST }, STUB_SIGNATURE);

/**
 * Signs drafts for Gasdesk's own simulations in such a way that the contract accepts them only there. The account's
 * code can read the signature, and can leak it through a revert reason, the selector of an error, or the gas that it
 * uses. Simulations ignore the validity window, so the drafts have a window that has expired. If the contract has no
 * window, a key that is created for this estimate signs the draft, and replaces the signer in the simulated state.
 *
 * @throws EngineError `GAS_ESTIMATION_FAILED`, `CHAIN_UNREACHABLE`
 */
export const draftSigning = async (
  { ready, terms, rpc, entropy }: DraftQuestion,
  op: UserOperation,
): Promise<Drafts> => {
  if (hasWindow(ready, op, terms)) return { sponsor: (draft) => signTerms(ready, draft, { ...terms, ...PAST }) };
  const key = new Secret(hexlify(entropy.bytes(32)) as Hex);
  const { contract, signer } = ready;
  const state = await acceptInstead(rpc, contract, { signer, standIn: addressOf(key.reveal()) });
  return { state, sponsor: (draft) => signTerms({ ...ready, key }, draft, terms) };
};
