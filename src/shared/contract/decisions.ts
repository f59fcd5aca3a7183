import { z } from 'zod';
import { decisionRecord } from '../schema/decision.ts';
import { id } from '../schema/text.ts';
import { procedure } from './procedure.ts';

/** Decisions already made. */
export const decisionProcedures = {
  'decisions.list': procedure({
    summary: 'List decisions, newest first',
    input: z.strictObject({
      paymasterId: id.optional(),
      outcome: z.enum(['sponsored', 'denied', 'error']).optional(),
      before: z.number().int().positive().optional().describe('Only decisions with a smaller seq'),
      limit: z.number().int().min(1).max(1000).default(50),
    }),
    output: z.array(decisionRecord),
    errors: [],
  }),
  'decisions.show': procedure({
    summary: 'Show one decision with its trace',
    input: z.strictObject({ decisionId: id }),
    output: decisionRecord,
    errors: ['DECISION_NOT_FOUND'],
  }),
};
