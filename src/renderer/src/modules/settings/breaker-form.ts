import { breakerSeconds } from '../../../../api/chains.ts';
import { weiToDecimal } from '../../../../shared/schema/decimal.ts';
import { typedWei } from '../../../../shared/typed-wei.ts';
import { shownAmount } from '../../../../shared/words/amount.ts';
import { DEFAULT_BREAKER } from '../../../../shared/words/breaker.ts';
import { spanWords } from '../../../../shared/words/span.ts';
import type { Chain } from '../../desk/types.ts';

export interface BreakerForm {
  kind: 'default' | 'amount' | 'off';
  /** In the native coin. */
  amount: string;
  count: number | null;
  /** Number of seconds in the unit. */
  unit: number;
}

export const breakerKinds = [
  { value: 'default', label: 'Default' },
  { value: 'amount', label: 'Amount per time' },
  { value: 'off', label: 'Off' },
] as const;

export const breakerUnits = [
  { value: 60, label: 'minutes' },
  { value: 3_600, label: 'hours' },
  { value: 86_400, label: 'days' },
] as const;

export const breakerForm = (breaker: Chain['breaker']): BreakerForm => {
  const nothing = { amount: '', count: 1, unit: 3_600 };
  if (breaker === null) return { kind: 'off', ...nothing };
  if (breaker === 'default') return { kind: 'default', ...nothing };
  const { amountWei, seconds } = breaker;
  const unit = breakerUnits.findLast(({ value }) => seconds % value === 0)?.value ?? 60;
  return { kind: 'amount', amount: weiToDecimal(BigInt(amountWei)), count: Math.ceil(seconds / unit), unit };
};

/** The breaker that was entered; undefined if it is invalid. */
export const typedBreaker = ({ kind, amount, count, unit }: BreakerForm): Chain['breaker'] | undefined => {
  if (kind === 'off') return null;
  if (kind === 'default') return 'default';
  const seconds = (count ?? 0) * unit;
  const amountWei = typedWei(amount.trim());
  if (amountWei === undefined || seconds < breakerSeconds.least || seconds > breakerSeconds.most) return undefined;
  return { amountWei, seconds };
};

type BreakerOfChain = Pick<Chain, 'breaker' | 'breakerAmountWei' | 'symbol'>;

export const breakerWords = ({ breaker, breakerAmountWei, symbol }: BreakerOfChain): string => {
  if (breaker === null) return 'Off';
  if (breaker !== 'default')
    return `${weiToDecimal(BigInt(breaker.amountWei))} ${symbol} in ${spanWords(breaker.seconds)}`;
  return breakerAmountWei === null
    ? 'Default'
    : `Default: now ${shownAmount(BigInt(breakerAmountWei))} ${symbol} in 1 hour`;
};

export const breakerSentence = (form: BreakerForm, chain: BreakerOfChain): string => {
  const typed = typedBreaker(form);
  const coin = chain.symbol;
  if (typed === undefined) return 'Enter an amount and a time from one minute to 7 days.';
  if (typed === null) return 'No spend cap on this chain; only DApp limits and the tank apply.';
  const follows =
    'Gasdesk pauses every DApp on this chain until you resume it. Operations count at their maximum cost, no matter ' +
    'who pays. If several DApps use this chain, a DApp that would exceed half the amount is paused by itself.';
  if (typed === 'default') {
    const now =
      chain.breaker === 'default' && chain.breakerAmountWei !== null
        ? ` Now that is ${shownAmount(BigInt(chain.breakerAmountWei))} ${coin}.`
        : '';
    return `${DEFAULT_BREAKER}.${now} Beyond it, ${follows}`;
  }
  const amount = `${weiToDecimal(BigInt(typed.amountWei))} ${coin}`;
  return `If operations on this chain would cost more than ${amount} within ${spanWords(typed.seconds)}, ${follows}`;
};
