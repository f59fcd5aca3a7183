import { breakerSeconds } from '../../../../api/chains.ts';
import { weiToDecimal } from '../../../../shared/schema/decimal.ts';
import { typedWei } from '../../../../shared/typed-wei.ts';
import { spanWords } from '../../../../shared/words/span.ts';
import type { Chain } from '../../desk/types.ts';

/** A burn-rate breaker while it is typed. */
export interface BreakerForm {
  /** Of the native coin; empty: no breaker. */
  amount: string;
  count: number | null;
  /** Seconds of the unit. */
  unit: number;
}

/** Units of time that a breaker is told in. */
export const breakerUnits = [
  { value: 60, label: 'minutes' },
  { value: 3_600, label: 'hours' },
  { value: 86_400, label: 'days' },
] as const;

/** The form of what is set. */
export const breakerForm = (breaker: Chain['breaker'] | undefined): BreakerForm => {
  if (!breaker) return { amount: '', count: 1, unit: 3_600 };
  const { amountWei, seconds } = breaker;
  const unit = breakerUnits.findLast(({ value }) => seconds % value === 0)?.value ?? 60;
  return { amount: weiToDecimal(BigInt(amountWei)), count: Math.ceil(seconds / unit), unit };
};

/** What a form says; undefined while it says nothing that can be set. */
export const typedBreaker = ({ amount, count, unit }: BreakerForm): Chain['breaker'] | undefined => {
  const text = amount.trim();
  if (text === '') return null;
  const seconds = (count ?? 0) * unit;
  const amountWei = typedWei(text);
  if (amountWei === undefined || seconds < breakerSeconds.least || seconds > breakerSeconds.most) return undefined;
  return { amountWei, seconds };
};

/** A breaker in short, as a list shows it. */
export const breakerWords = ({ breaker, symbol }: Pick<Chain, 'breaker' | 'symbol'>): string =>
  breaker === null ? 'None' : `${weiToDecimal(BigInt(breaker.amountWei))} ${symbol} in ${spanWords(breaker.seconds)}`;

/** What follows from a form, in a sentence. */
export const breakerSentence = (form: BreakerForm, coin: string): string => {
  const typed = typedBreaker(form);
  if (typed === undefined) return 'Enter an amount and a time from one minute to 7 days.';
  if (typed === null) return 'No spend cap on this chain; only DApp limits and the tank apply.';
  const amount = `${weiToDecimal(BigInt(typed.amountWei))} ${coin}`;
  return (
    `If operations on this chain would cost more than ${amount} within ${spanWords(typed.seconds)}, Gasdesk pauses all ` +
    'sponsorship, on every chain, until you resume it. Operations count at their maximum cost, no matter who pays. ' +
    'If several DApps use this chain, a DApp that would exceed half the amount is paused alone.'
  );
};
