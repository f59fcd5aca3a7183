import { min } from '../../../shared/bigints.ts';
import { defaultMaxOperationCostWei } from '../../../shared/chains.ts';
import type { ChainSnapshot } from '../../facts.ts';
import type { Policy } from '../../policy.ts';

/** The part of a policy that determines its breaker. */
interface BreakerPolicy {
  readonly dapp: Pick<Policy['dapp'], 'chainId'>;
  readonly chain: Pick<NonNullable<Policy['chain']>, 'breaker' | 'maxOperationCostWei'> | null;
}

/** What was read of the chain, as far as it matters here. */
type BreakerFacts = Pick<ChainSnapshot, 'baseFeeWei' | 'believedBaseFeeWei' | 'believedTipWei' | 'depositsWei'>;

/** The burn-rate breaker of a chain: what may be signed for within a time. */
export interface Breaker {
  readonly thresholdWei: bigint;
  readonly seconds: number;
  /** Where the amount comes from; `set`: from the operator. */
  readonly origin: 'set' | 'deposits' | 'operations';
}

const SECONDS = 3_600;
/** The default breaker allows one such part of the deposits. */
const DEPOSIT_PARTS = 4n;
/** It always allows at least this many usual operations, since a tank may be small or new. */
export const LEAST_OPERATIONS = 20n;
/** Gas limits of a usual operation together: the deployment of an account and what it calls. */
const USUAL_GAS = 2_000_000n;

/** What a usual operation may cost at the fees that Gasdesk suggests, wei. */
const usualOperationWei = (policy: BreakerPolicy, chain: BreakerFacts): bigint => {
  const { baseFeeWei, believedBaseFeeWei = baseFeeWei, believedTipWei = '0' } = chain;
  const costWei = USUAL_GAS * (2n * BigInt(believedBaseFeeWei) + BigInt(believedTipWei));
  const { maxOperationCostWei } = policy.chain ?? {};
  return min(costWei, BigInt(maxOperationCostWei ?? defaultMaxOperationCostWei(policy.dapp.chainId)));
};

/**
 * The breaker that binds on the chain of a policy; undefined where none does. The default one binds only where it is
 * known what the gas tanks hold. No request has an influence on it.
 */
export const breakerOf = (policy: BreakerPolicy, chain: BreakerFacts | null): Breaker | undefined => {
  const setting = policy.chain?.breaker ?? null;
  if (setting === null) return undefined;
  if (setting !== 'default') {
    return { thresholdWei: BigInt(setting.amountWei), seconds: setting.seconds, origin: 'set' };
  }
  if (chain?.depositsWei === undefined) return undefined;
  const share = BigInt(chain.depositsWei) / DEPOSIT_PARTS;
  const floor = LEAST_OPERATIONS * usualOperationWei(policy, chain);
  return share >= floor
    ? { thresholdWei: share, seconds: SECONDS, origin: 'deposits' }
    : { thresholdWei: floor, seconds: SECONDS, origin: 'operations' };
};
