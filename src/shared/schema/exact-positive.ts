import { z } from 'zod';
import { JsonNumber, positiveDecimal } from './decimal.ts';

const POSITIVE_ERROR = 'must be a positive number';

const digitsOf = (value: number | string | JsonNumber, context: z.core.$RefinementCtx): string => {
  const digits = positiveDecimal(value instanceof JsonNumber ? value.source : String(value));
  if (digits !== undefined) return digits;
  context.addIssue({ code: 'custom', message: POSITIVE_ERROR });
  return z.NEVER;
};

const isNumber = (value: unknown): boolean => typeof value === 'number' || value instanceof JsonNumber;

/** A positive number kept exactly: reads a number or a {@link JsonNumber}, returns decimal digits. */
export const exactPositiveNumber = z
  .custom<number | JsonNumber>(isNumber, POSITIVE_ERROR)
  .meta({ type: 'number', exclusiveMinimum: 0 })
  .transform(digitsOf);

/** For input that people type: also reads digits as text, so that no double rounds what was typed. */
export const exactPositiveInput = z
  .custom<number | string | JsonNumber>((value) => typeof value === 'string' || isNumber(value), POSITIVE_ERROR)
  .transform(digitsOf);
