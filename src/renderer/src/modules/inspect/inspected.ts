import type { ProcedureOutput } from '../../../../api/index.ts';

export type Inspection = ProcedureOutput<'inspect.value'>;

export type Reading = Inspection['readings'][number];

export type Section = Reading['sections'][number];

export interface WordContext {
  /** Names of addresses that Gasdesk knows. Addresses are lower case. */
  readonly names: ReadonlyMap<string, string>;
  /** Symbol of the chain's native coin. */
  readonly coin: string;
}

const LAST_SECOND = 8_640_000_000_000;

/** Converts unix seconds to epoch ms; undefined if they are out of range or do not stand for a time. */
export const timeOf = (seconds: string): number | undefined => {
  const value = Number(seconds);
  return value > 0 && value <= LAST_SECOND ? value * 1000 : undefined;
};

/** The maximum number of bytes of a range that are shown at first. Of the rest, only the number is shown. */
const MAX_SHOWN = 40;

/** The hex of a range without `0x`, in groups of four bytes between which a line may break. */
export const shownHex = (hex: string): string => {
  const digits = hex.slice(2);
  const grouped = (text: string): string => text.replaceAll(/.{8}(?=.)/g, '$& ');
  const bytes = digits.length / 2;
  if (bytes <= MAX_SHOWN) return grouped(digits);
  return `${grouped(digits.slice(0, 48))} … ${bytes - 32} bytes … ${digits.slice(-16)}`;
};
