import { min } from '../../../shared/bigints.ts';
import { defaultMaxOperationCostWei } from '../../../shared/chains.ts';
import type { ChainSnapshot, Facts } from '../../facts/facts.ts';
import type { GasSchedule } from '../../gas-schedules/gas-schedule.ts';
import { gasSchedules } from '../../gas-schedules/schedules.ts';
import type { Policy } from '../../policy/policy.ts';

/** The parts of a policy that determine its breaker. */
interface BreakerPolicy {
  readonly dapp: Pick<Policy['dapp'], 'chainId'>;
  readonly chain: Pick<NonNullable<Policy['chain']>, 'breaker' | 'maxOperationCostWei'> | null;
}

/** The facts that a breaker needs. */
interface BreakerFacts {
  readonly gasSchedule: Facts['gasSchedule'];
  /** Null if no node answered. */
  readonly chain: Pick<ChainSnapshot, 'baseFeeWei' | 'believedBaseFeeWei' | 'believedTipWei' | 'depositsWei'> | null;
}

/** The burn-rate breaker of a chain: the maximum amount that may be signed for within a period. */
export interface Breaker {
  readonly thresholdWei: bigint;
  readonly seconds: number;
  /** Where the threshold comes from. `set`: the operator set it. */
  readonly origin: 'set' | 'deposits' | 'operations';
}

const SECONDS = 3_600;
/** The default threshold is the total of the deposits divided by this number. */
const DEPOSIT_PARTS = 4n;
/** The default threshold covers at least this many usual operations, because a tank may be small or new. */
export const LEAST_OPERATIONS = 20n;
/** The most that a usual operation costs at the fees that Gasdesk suggests, in wei. */
const usualOperationWei = (
  policy: BreakerPolicy,
  chain: NonNullable<BreakerFacts['chain']>,
  { usualOperation }: GasSchedule,
): bigint => {
  const { baseFeeWei, believedBaseFeeWei = baseFeeWei, believedTipWei = '0' } = chain;
  const costWei = usualOperation * (2n * BigInt(believedBaseFeeWei) + BigInt(believedTipWei));
  const { maxOperationCostWei } = policy.chain ?? {};
  return min(costWei, BigInt(maxOperationCostWei ?? defaultMaxOperationCostWei(policy.dapp.chainId)));
};

/**
 * The breaker of a policy's chain; undefined if none exists. The default breaker applies only if the balances of the
 * gas tanks are known. No request influences the threshold.
 */
export const breakerOf = (policy: BreakerPolicy, { chain, gasSchedule }: BreakerFacts): Breaker | undefined => {
  const setting = policy.chain?.breaker ?? null;
  if (setting === null) return undefined;
  if (setting !== 'default') {
    return { thresholdWei: BigInt(setting.amountWei), seconds: setting.seconds, origin: 'set' };
  }
  if (chain?.depositsWei === undefined) return undefined;
  const share = BigInt(chain.depositsWei) / DEPOSIT_PARTS;
  const floor = LEAST_OPERATIONS * usualOperationWei(policy, chain, gasSchedules[gasSchedule]);
  return share >= floor
    ? { thresholdWei: share, seconds: SECONDS, origin: 'deposits' }
    : { thresholdWei: floor, seconds: SECONDS, origin: 'operations' };
};
