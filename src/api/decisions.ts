import { z } from 'zod';
import { decidingRules } from '../core/decision/rule-words.ts';
import { LAST_MS, decisionRecord, decisionRow, feedPage } from '../shared/schema/decision.ts';
import { address, hash } from '../shared/schema/hex.ts';
import { decodedCall } from '../shared/schema/inspection.ts';
import { id } from '../shared/schema/text.ts';
import { procedure } from './procedure.ts';

// Reports show the times in their filter as dates.
const epochMs = z.number().int().nonnegative().max(LAST_MS);

const filters = {
  paymasterId: id.optional(),
  sender: address.optional(),
  outcome: z.enum(['sponsored', 'denied', 'error']).optional(),
  rule: z.enum(decidingRules).optional().describe('The deciding rule'),
  from: epochMs.optional().describe('Made at this time or later'),
  to: epochMs.optional().describe('Made before this time'),
};

const decisionFilters = z.strictObject(filters);

export type DecisionFilters = z.output<typeof decisionFilters>;

const listedDecision = decisionRow.extend({
  calls: z.string().optional().describe('What it calls, in words. Only on request'),
});

export type ListedDecision = z.output<typeof listedDecision>;

const page = z.strictObject({
  decisions: z.array(decisionRecord),
  upTo: z.number().describe('The next page starts after this seq'),
  more: z.boolean().describe('False: this is the last page. Other pages may be short, too, if decisions are large'),
});

const SUMMARY_STEPS = 48;

/** Ten years, so that a review can summarise all of an old file. */
const LONGEST_SUMMARY_HOURS = 87_600;

const summary = z.strictObject({
  from: z.number().describe('epoch ms'),
  stepMs: z.number(),
  outcomes: z
    .array(z.strictObject({ sponsored: z.number(), denied: z.number(), error: z.number() }))
    .describe('One per step, oldest first'),
  rules: z
    .array(z.strictObject({ rule: z.string(), name: z.string().describe('As people call it'), count: z.number() }))
    .describe('Denials by deciding rule'),
  spent: z
    .array(z.strictObject({ chainId: z.number(), wei: z.array(z.string()).describe('One per step') }))
    .describe('Actual cost, or the maximum while it is reserved'),
});

export const decisionProcedures = {
  'decisions.list': procedure({
    summary: 'List decisions, newest first',
    input: z.strictObject({
      ...filters,
      userOpHash: hash.optional().describe('Hash under which the operation was signed or mined'),
      decisionId: id.optional(),
      text: z
        .string()
        .min(1)
        .max(256)
        .optional()
        .describe(
          'Name of a verified person, or text to find in the sender, the keyed hash of the person, the hash, the id, the names of called contracts and methods, the DApp or the reason',
        ),
      wouldDeny: id.optional().describe('The id of a rule in shadow that would have denied them'),
      before: z.number().int().positive().optional().describe('Only decisions with a smaller seq'),
      limit: z.number().int().min(1).max(1000).default(50),
      withCalls: z.boolean().default(false).describe('Also what each operation calls'),
    }),
    output: z.array(listedDecision),
  }),
  'decisions.page': procedure({
    summary: 'Read complete decisions, oldest first, page by page',
    input: z.strictObject({
      ...filters,
      after: z.number().int().nonnegative().default(0).describe('Only decisions with a greater seq'),
      limit: z.number().int().min(1).max(1000).default(100),
    }),
    output: page,
  }),
  'decisions.follow': procedure({
    summary: 'Read the decisions made or settled after a position in the feed. Waits for them for at most 20 s',
    input: z.strictObject({
      after: z
        .number()
        .int()
        .nonnegative()
        .optional()
        .describe('Position at which the last page ended; absent: start now'),
      wait: z.boolean().default(true).describe('False: answer at once, even with an empty page'),
    }),
    output: feedPage,
  }),
  'decisions.summary': procedure({
    summary: 'Count the decisions of the last hours by time, outcome and rule, and add up their cost',
    input: z.strictObject({
      paymasterId: filters.paymasterId.describe('Only decisions for this DApp'),
      hours: z.int().min(1).max(LONGEST_SUMMARY_HOURS).default(24),
      steps: z.int().min(1).max(500).default(SUMMARY_STEPS),
    }),
    output: summary,
  }),
  'decisions.report': procedure({
    summary: 'Write a report of decisions as one self-contained HTML page',
    input: decisionFilters,
    output: z.strictObject({
      html: z.string(),
      decisions: z.number().describe('Number of decisions in the report'),
      told: z.number().describe('Number of these decisions, the newest ones, that are listed one by one'),
    }),
  }),
  'decisions.calls': procedure({
    summary: 'Show the calls of a decided operation, decoded with the ABIs of the registered contracts',
    input: z.strictObject({ decisionId: id }),
    output: z.strictObject({
      calls: z.array(decodedCall),
      error: z.string().nullable().describe('Why the callData cannot be decoded'),
    }),
    errors: ['DECISION_NOT_FOUND'],
  }),
  'decisions.show': procedure({
    summary: 'Show one decision with its trace',
    input: z.strictObject({ decisionId: id }),
    output: decisionRecord,
    errors: ['DECISION_NOT_FOUND'],
  }),
  'decisions.mined': procedure({
    summary: 'Show the block and the transaction in which a decided operation was mined; null if it is not settled',
    input: z.strictObject({ decisionId: id }),
    output: z
      .strictObject({
        blockNumber: z.number(),
        transactionHash: hash.nullable().describe('null if the chain does not answer'),
      })
      .nullable(),
    errors: ['DECISION_NOT_FOUND'],
  }),
  'decisions.policy': procedure({
    summary: 'Show the policy revision with which decisions were made',
    input: z.strictObject({ hash: z.string().describe('Name of the revision in the decisions') }),
    output: z.strictObject({ policy: z.unknown().describe('Null if it is unknown here') }),
  }),
};
