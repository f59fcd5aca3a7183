import { z } from 'zod';
import { JsonNumber, positiveDecimal } from './decimal.ts';

const POSITIVE_FAULT = 'must be a positive number';

const digitsOf = (value: number | string | JsonNumber, context: z.core.$RefinementCtx): string => {
  const digits = positiveDecimal(value instanceof JsonNumber ? value.source : String(value));
  if (digits !== undefined) return digits;
  context.addIssue({ code: 'custom', message: POSITIVE_FAULT });
  return z.NEVER;
};

const isNumber = (value: unknown): boolean => typeof value === 'number' || value instanceof JsonNumber;

/**
 * Schema of a positive number kept exactly: in comes a number or a {@link JsonNumber}, out go its decimal digits.
 */
export const exactPositiveNumber = z
  .custom<number | JsonNumber>(isNumber, POSITIVE_FAULT)
  .meta({ type: 'number', exclusiveMinimum: 0 })
  .transform(digitsOf);

/** The same where people type: also digits as text, so that no double stands between what is typed and what is kept. */
export const exactPositiveInput = z
  .custom<number | string | JsonNumber>((value) => typeof value === 'string' || isNumber(value), POSITIVE_FAULT)
  .transform(digitsOf);
