import type { ProcedureOutput } from '../../../../api/index.ts';

export type Inspection = ProcedureOutput<'inspect.value'>;

export type Reading = Inspection['readings'][number];

export type Section = Reading['sections'][number];

export interface WordContext {
  /** Names of addresses in lower case, as the desk knows them. */
  readonly names: ReadonlyMap<string, string>;
  /** Symbol of the chain's coin. */
  readonly coin: string;
}

const LAST_SECOND = 8_640_000_000_000;

/** Epoch ms of unix seconds; undefined if they are out of range, or mean no time. */
export const timeOf = (seconds: string): number | undefined => {
  const value = Number(seconds);
  return value > 0 && value <= LAST_SECOND ? value * 1000 : undefined;
};

/** Most bytes of a range that are shown at once; the rest is a number. */
const MAX_SHOWN = 40;

/** The hex of a range, without `0x`, in groups of four bytes with possible line breaks between them. */
export const shownHex = (hex: string): string => {
  const digits = hex.slice(2);
  const grouped = (text: string): string => text.replaceAll(/.{8}(?=.)/g, '$& ');
  const bytes = digits.length / 2;
  if (bytes <= MAX_SHOWN) return grouped(digits);
  return `${grouped(digits.slice(0, 48))} … ${bytes - 32} bytes … ${digits.slice(-16)}`;
};
