import { z } from 'zod';
import { conditionError } from './condition.ts';

/** Longer than anything that people can read. */
const LONGEST = 2_000;

/** Schema of a condition in CEL. It is checked whole, so that what is stored can be evaluated. */
export const expression = z
  .string()
  .min(1)
  .max(LONGEST)
  .superRefine((text, context) => {
    const error = conditionError(text);
    if (error === undefined) return;
    const place = `at character ${error.at + 1}`;
    context.addIssue({ code: 'custom', message: `must be a condition in CEL: ${error.message} (${place})` });
  })
  .describe('A condition in CEL over op, calls, context, dapp and time');
