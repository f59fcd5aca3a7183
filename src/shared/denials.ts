import { weiToDecimal } from './schema/decimal.ts';
import { dollars, exactDollars } from './words/amount.ts';

/** Values a rule compared; wei and other large numbers as decimal strings. */
export type Evidence = Record<string, string | number | boolean | null>;

/** What a denial says to the DApp's developer: what happened, and the smallest change that would let the op pass. */
export interface Explanation {
  readonly message: string;
  readonly hint: string;
}

/** An exact amount of the coin that the evidence names. @param wei decimal */
export const coins = (wei: unknown, { symbol }: Evidence): string =>
  `${weiToDecimal(BigInt(String(wei)))} ${String(symbol ?? 'of the native coin')}`;

/** Operations, or an amount of the coin or of dollars, as the unit of the evidence says. */
export const units = (evidence: Evidence, key: 'threshold' | 'used' | 'amount'): string => {
  const value = String(evidence[key]);
  if (evidence.unit === 'wei') return coins(value, evidence);
  // What the operator has set is told as it is.
  if (evidence.unit === 'usd') return (key === 'threshold' ? exactDollars : dollars)(BigInt(value));
  return value === '1' ? '1 operation' : `${value} operations`;
};

/** `2 operations are used` */
export const areUsed = (evidence: Evidence): string => {
  const one = evidence.unit !== 'operations' || evidence.used === '1';
  return `${units(evidence, 'used')} ${one ? 'is' : 'are'} used`;
};

const MINUTE_MS = 60_000;

/** `2026-11-21 14:30 UTC`, from epoch ms: the minute in which it was. */
export const pastTime = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** The same of a time to wait for. Rounded up, as the duration is: a wait that is too short would be a lie. */
export const clockTime = (at: number): string => pastTime(Math.ceil(at / MINUTE_MS) * MINUTE_MS);

/** `43 min`, never too short. @param ms how long */
export const duration = (ms: number): string => {
  const minutes = Math.max(1, Math.ceil(ms / MINUTE_MS));
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days ${hours % 24} h`;
};

/** The words for each code with which a kind of rule denies, made from the values that were compared. */
export type DenialRows = Readonly<Record<string, (evidence: Evidence) => Explanation>>;
