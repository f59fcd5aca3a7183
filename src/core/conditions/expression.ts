import { z } from 'zod';
import { conditionFault } from './condition.ts';

/** Longer than anything that people can read. */
const LONGEST = 2_000;

/** Schema of a condition in CEL. It is checked whole, so that what is stored can be evaluated. */
export const expression = z
  .string()
  .min(1)
  .max(LONGEST)
  .superRefine((text, context) => {
    const fault = conditionFault(text);
    if (fault === undefined) return;
    const place = `at character ${fault.at + 1}`;
    context.addIssue({ code: 'custom', message: `must be a condition in CEL: ${fault.message} (${place})` });
  })
  .describe('A condition in CEL over op, calls, context, dapp and time');
