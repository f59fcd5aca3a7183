import { weiToDecimal } from './schema/decimal.ts';
import { dollars, exactDollars } from './words/amount.ts';

/** Values that a rule compared. Wei and other large numbers are decimal strings. */
export type Evidence = Record<string, string | number | boolean | null>;

/**
 * A denial's explanation for the DApp's developer: what happened, and the smallest change with which the operation
 * would be sponsored.
 */
export interface Explanation {
  readonly message: string;
  readonly hint: string;
}

/** An exact amount with the coin that the evidence names. @param wei decimal digits */
export const coins = (wei: unknown, { symbol }: Evidence): string =>
  `${weiToDecimal(BigInt(String(wei)))} ${String(symbol ?? 'of the native coin')}`;

/** A number of operations, or an amount of the coin or of dollars. The evidence names the unit. */
export const units = (evidence: Evidence, key: 'threshold' | 'used' | 'amount'): string => {
  const value = String(evidence[key]);
  if (evidence.unit === 'wei') return coins(value, evidence);
  // The operator set the threshold, so it is shown exactly.
  if (evidence.unit === 'usd') return (key === 'threshold' ? exactDollars : dollars)(BigInt(value));
  return value === '1' ? '1 operation' : `${value} operations`;
};

/** `2 operations are used` */
export const areUsed = (evidence: Evidence): string => {
  const one = evidence.unit !== 'operations' || evidence.used === '1';
  return `${units(evidence, 'used')} ${one ? 'is' : 'are'} used`;
};

const MINUTE_MS = 60_000;

/** `2026-11-21 14:30 UTC` for a time in epoch ms, rounded down to the minute. */
export const pastTime = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/**
 * A time until which a client must wait. It is rounded up, like {@link duration}, because an operation that is sent too
 * early would be denied again.
 */
export const clockTime = (at: number): string => pastTime(Math.ceil(at / MINUTE_MS) * MINUTE_MS);

/** A duration such as `43 min`, rounded up. @param ms its length */
export const duration = (ms: number): string => {
  const minutes = Math.max(1, Math.ceil(ms / MINUTE_MS));
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days ${hours % 24} h`;
};

/** For each denial code, the function that explains the denial from the values that were compared. */
export type DenialRows = Readonly<Record<string, (evidence: Evidence) => Explanation>>;
