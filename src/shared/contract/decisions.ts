import { z } from 'zod';
import { decidingRules, decisionRecord } from '../schema/decision.ts';
import { address } from '../schema/hex.ts';
import { id } from '../schema/text.ts';
import { procedure } from './procedure.ts';

const epochMs = z.number().int().nonnegative();

const filters = {
  paymasterId: id.optional(),
  sender: address.optional(),
  outcome: z.enum(['sponsored', 'denied', 'error']).optional(),
  rule: z.enum(decidingRules).optional().describe('The deciding rule'),
  from: epochMs.optional().describe('Made at this time or later'),
  to: epochMs.optional().describe('Made before this time'),
};

/** Decisions already made. */
export const decisionProcedures = {
  'decisions.list': procedure({
    summary: 'List decisions, newest first',
    input: z.strictObject({
      ...filters,
      before: z.number().int().positive().optional().describe('Only decisions with a smaller seq'),
      limit: z.number().int().min(1).max(1000).default(50),
    }),
    output: z.array(decisionRecord),
    errors: [],
  }),
  'decisions.page': procedure({
    summary: 'Read decisions, oldest first, a page at a time',
    input: z.strictObject({
      ...filters,
      after: z.number().int().nonnegative().default(0).describe('Only decisions with a greater seq'),
      limit: z.number().int().min(1).max(1000).default(100),
    }),
    output: z.strictObject({
      decisions: z.array(decisionRecord),
      upTo: z.number().describe('The next page begins after this seq'),
      more: z.boolean().describe('False: this page is the last. It may be short before that, where decisions are big'),
    }),
    errors: [],
  }),
  'decisions.show': procedure({
    summary: 'Show one decision with its trace',
    input: z.strictObject({ decisionId: id }),
    output: decisionRecord,
    errors: ['DECISION_NOT_FOUND'],
  }),
};
