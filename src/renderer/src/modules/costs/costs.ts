import type { ProcedureOutput } from '../../../../api/index.ts';
import type { CostGrouping } from '../../../../shared/schema/cost.ts';
import { shorten } from '../../../../shared/words/shorten.ts';

export type ChainCosts = ProcedureOutput<'costs.get'>['chains'][number];
export type CostGroup = ChainCosts['total'];

/** The choices of what to group by. */
export const groupings: readonly { readonly value: CostGrouping; readonly label: string; readonly column: string }[] = [
  { value: 'dapp', label: 'By DApp', column: 'DApp' },
  { value: 'method', label: 'By method', column: 'Methods' },
  { value: 'sender', label: 'By smart account', column: 'Smart account' },
  { value: 'bundler', label: 'By bundler', column: 'Bundler' },
  { value: 'month', label: 'By month', column: 'Month (UTC)' },
];

const DAY_MS = 86_400_000;
const PERIOD_DAYS = { '7': 7, '30': 30, '90': 90, '365': 365 } as const;

export type Period = keyof typeof PERIOD_DAYS | 'all';

export const periods: readonly { readonly value: Period; readonly label: string }[] = [
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
  { value: '365', label: 'Last year' },
  { value: 'all', label: 'All time' },
];

/** When a period begins, epoch ms; undefined for all time. It moves once a day, so that answers can be reused. */
export const beginOf = (period: Period, now: number): number | undefined =>
  period === 'all' ? undefined : (Math.floor(now / DAY_MS) + 1 - PERIOD_DAYS[period]) * DAY_MS;

/** The last twelve months (UTC), newest first, such as `2026-11`. */
export const lastMonths = (now: number): string[] => {
  const today = new Date(now);
  return Array.from({ length: 12 }, (_, back) =>
    new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - back)).toISOString().slice(0, 7),
  );
};

/** The name of a group, in which addresses of contracts that are not registered are shortened. */
export const shownGroup = (name: string): string => name.replace(/\b0x[\da-f]{40}\b/gi, (address) => shorten(address));
