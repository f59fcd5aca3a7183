import { knownChains } from '../../shared/chains.ts';
import { weiToDecimal } from '../../shared/schema/decimal.ts';
import { spanWords } from '../../shared/words/span.ts';
import { chainSymbol } from '../chain/chain-symbol.ts';
import type { Clock } from '../clock.ts';
import { burnRateRule } from '../rules/burn-rate.ts';
import type { ChainSettings, Claim, Pause, Store } from '../store/store.ts';
import { type Reason, type Step, ruleStep } from './steps.ts';

/**
 * How finely time is counted: what was signed in the oldest part counts until all of that part is past, so that never
 * more than the amount is signed within the time, and one sixtieth of it later all of it is free again.
 */
const PARTS = 60;
/** Milliseconds since 1970 divided by whatever have at most so many digits: keys sort as numbers do. */
const DIGITS = 16;

/** The chain's burn-rate breaker as it looks at one operation. All of it is empty where none is set. */
export interface BurnRateStep {
  readonly claims: readonly Claim[];
  /** The step; `held` is what is signed for on the chain within the time. */
  steps(held: bigint | undefined): Step[];
  /** The pause of all sponsorship, if this was the reason not to sign. */
  trippedBy(reason: Reason | undefined): Pause | undefined;
}

const NONE: BurnRateStep = { claims: [], steps: () => [], trippedBy: () => undefined };

const words = ({ chainId, name, symbol }: ChainSettings, amount: bigint, seconds: number): string => {
  const coin = `${weiToDecimal(amount)} ${chainSymbol(chainId, { symbol })}`;
  const chain = name ?? knownChains.get(chainId)?.name ?? `chain ${chainId}`;
  return `Burn-rate breaker: operations on ${chain} came to more than ${coin} within ${spanWords(seconds)}`;
};

/**
 * Looks what the chain's breaker says to an operation that may cost so much, whoever pays for it in the end: with
 * tokens, too, it is the paymaster that pays the chain. Counted is what was signed, whatever becomes of it, since the
 * breaker was set or sponsorship was last resumed.
 */
export const burnRateStep = async (
  { store, clock }: { store: Pick<Store, 'findChain' | 'resumes'>; clock: Clock },
  chainId: number,
  maxCost: bigint,
): Promise<BurnRateStep> => {
  const chain = await store.findChain(chainId);
  if (!chain?.breaker) return NONE;
  const { amountWei, seconds } = chain.breaker;
  const threshold = BigInt(amountWei);
  const now = clock.now();
  const partMs = (seconds * 1000) / PARTS;
  const keyAt = (at: number): string => String(Math.max(0, Math.floor(at / partMs))).padStart(DIGITS, '0');
  const prefix = ['breaker', chainId, seconds, await store.resumes(), ''].join(':');
  // After a clock was set back, what is signed for later times counts as well.
  const row = { prefix, from: keyAt(now - seconds * 1000) };
  return {
    claims: [{ key: prefix + keyAt(now), kind: 'spend', amount: maxCost, row }],
    steps: (used = 0n) => [
      ruleStep(clock, burnRateRule.type, () => burnRateRule.check(null, { threshold, seconds, used, amount: maxCost })),
    ],
    trippedBy: (reason) =>
      reason?.code === 'BURN_RATE_EXCEEDED' ? { since: now, reason: words(chain, threshold, seconds) } : undefined,
  };
};
