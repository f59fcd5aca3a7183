import { z } from 'zod';
import { JsonNumber, MAX_DIGITS, isPositive, positiveDecimal } from './decimal.ts';

const POSITIVE_ERROR = 'must be a positive number';
const DIGITS_ERROR = `must be a positive number of at most ${MAX_DIGITS} digits`;

const digitsOf = (value: number | string | JsonNumber, context: z.core.$RefinementCtx): string => {
  const source = value instanceof JsonNumber ? value.source : String(value);
  const digits = positiveDecimal(source);
  if (digits !== undefined) return digits;
  context.addIssue({ code: 'custom', message: isPositive(source) ? DIGITS_ERROR : POSITIVE_ERROR });
  return z.NEVER;
};

const isNumber = (value: unknown): boolean => typeof value === 'number' || value instanceof JsonNumber;

/** A positive number that is kept exactly: parses a number or a {@link JsonNumber}, and returns decimal digits. */
export const exactPositiveNumber = z
  .custom<number | JsonNumber>(isNumber, POSITIVE_ERROR)
  .meta({ type: 'number', exclusiveMinimum: 0 })
  .transform(digitsOf);

/** The same for input that people type: also parses digits in a string, so that no double rounds them. */
export const exactPositiveInput = z
  .custom<number | string | JsonNumber>((value) => typeof value === 'string' || isNumber(value), POSITIVE_ERROR)
  .transform(digitsOf);
