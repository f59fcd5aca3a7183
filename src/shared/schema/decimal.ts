import { parseJsonWith } from './parse-json.ts';

const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Maximum number of digits of a {@link positiveDecimal}. */
export const MAX_DIGITS = 100;

/**
 * A JSON number that keeps its digits. JavaScript would round `1.000000000000000001`, but thresholds are money and must
 * stay exact (behaviour 6.1).
 */
export class JsonNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  /** Makes JSON.stringify write exactly these digits. @throws SyntaxError if they form no JSON number */
  toJSON(): unknown {
    // TypeScript's library does not declare this part of ES2026 yet.
    return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(this.source);
  }
}

/** True for a positive number in JSON notation, however many digits it has. */
export const isPositive = (source: string): boolean => NUMBER.test(source) && Number(source) > 0;

/**
 * The plain decimal form of a number in JSON notation, without an exponent or extra zeros; undefined if it is not
 * positive, or has more than {@link MAX_DIGITS} digits.
 */
export const positiveDecimal = (source: string): string | undefined => {
  const [, sign, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(source) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const point = whole.length + fraction.length - digits.length; // The digits before the point, minus the leading zeros that were removed.
  if (sign !== '' || digits === '' || exponent.length > 4 || digits.length > MAX_DIGITS) return undefined;
  const shift = whole.length - point + Number(exponent);
  if (Math.abs(shift) > MAX_DIGITS) return undefined;
  const padded = shift <= 0 ? '0'.repeat(1 - shift) + digits : digits.padEnd(shift, '0');
  const cut = Math.max(shift, 1);
  const rest = padded.slice(cut).replace(/0+$/, '');
  return rest === '' ? padded.slice(0, cut) : `${padded.slice(0, cut)}.${rest}`;
};

/**
 * Converts a decimal amount to the smallest unit. @throws RangeError if the amount has more than `decimals` decimal
 * places
 */
export const decimalToUnits = (amount: string, decimals: number): bigint => {
  const [whole = '0', fraction = ''] = amount.split('.');
  if (fraction.length > decimals) throw new RangeError(`${amount} has more than ${decimals} decimals`);
  return BigInt(whole + fraction.padEnd(decimals, '0'));
};

/** Converts an amount in the smallest unit to a decimal without extra zeros. */
export const unitsToDecimal = (units: bigint, decimals: number): string => {
  const digits = units.toString().padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  const fraction = digits.slice(point).replace(/0+$/, '');
  return digits.slice(0, point) + (fraction === '' ? '' : `.${fraction}`);
};

const COIN_DECIMALS = 18;

/** Converts a decimal amount of the native coin to wei. @throws RangeError if it has more than 18 decimal places */
export const decimalToWei = (amount: string): bigint => decimalToUnits(amount, COIN_DECIMALS);

/** Converts wei to a decimal amount of the native coin, without extra zeros. */
export const weiToDecimal = (wei: bigint): string => unitsToDecimal(wei, COIN_DECIMALS);

/** Matches numbers that a double may not hold exactly: with 16 or more digits, or an exponent of three digits. */
const MAYBE_INEXACT = '-?(?:[\\d.]{16}|[\\d.]+[eE][+-]?\\d{3})';
/**
 * Two patterns, because a single pattern with `^` as an alternative takes three times as long if the text contains no
 * such number.
 */
const [BEGINS_INEXACT, HAS_INEXACT] = [new RegExp(`^${MAYBE_INEXACT}`), new RegExp(`[:,[\\s]${MAYBE_INEXACT}`)];

/** Keeps a number exactly. A double always holds a number with 15 digits and an exponent of two digits. */
const exactNumber = (source: string): number | JsonNumber => {
  const value = Number(source);
  const isExact = !BEGINS_INEXACT.test(source) || String(value) === source;
  return isExact ? value : new JsonNumber(source);
};

/**
 * Restores the numbers that JSON.parse rounded, from the text that it parsed.
 *
 * @param value the result of JSON.parse for the text
 */
export const withExactNumbers = (text: string, value: unknown): unknown =>
  BEGINS_INEXACT.test(text) || HAS_INEXACT.test(text) ? parseJsonWith(text, exactNumber) : value;

/**
 * Parses JSON. A number that a double cannot hold exactly, such as 9007199254740993, becomes a {@link JsonNumber}.
 * @throws SyntaxError if the text is not JSON
 */
export const parseExactJson = (text: string): unknown => withExactNumbers(text, JSON.parse(text) as unknown);
