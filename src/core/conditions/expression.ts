import { z } from 'zod';
import { WELL_FORMED_ERROR, isWellFormed } from '../../shared/schema/text.ts';
import { conditionError } from './condition.ts';

/** A longer expression would be too long to review. */
const LONGEST = 2_000;

/** Schema of a CEL condition. It checks the whole expression, so that every stored condition can be evaluated. */
export const expression = z
  .string()
  .min(1)
  .max(LONGEST)
  .refine(isWellFormed, { error: WELL_FORMED_ERROR, abort: true })
  .superRefine((text, context) => {
    const error = conditionError(text);
    if (error === undefined) return;
    const place = `at character ${error.at + 1}`;
    context.addIssue({ code: 'custom', message: `must be a condition in CEL: ${error.message} (${place})` });
  })
  .describe('A condition in CEL over op, calls, context, dapp and time');
