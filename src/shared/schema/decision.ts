import { z } from 'zod';
import { id } from './text.ts';

/** Values that a step compared. Wei and other large numbers are decimal strings. */
export const evidence = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

export const webhookCall = z.strictObject({
  webhookId: z.string(),
  url: z.string(),
  method: z.enum(['GET', 'POST']),
  request: z.strictObject({ headers: z.record(z.string(), z.string()), body: z.string() }),
  status: z.number().optional(),
  response: z.string().describe('Up to 64 KiB of the body'),
});

/** One step of a decision's trace: the rule, the values that it compared, and the result (behaviour 5.13). */
export const traceStep = z.strictObject({
  rule: z.string(),
  outcome: z.enum(['pass', 'deny', 'skip', 'wouldDeny']),
  code: z.string(),
  shadow: z.string().optional().describe('Id of the shadow rule whose step this is. It denies nothing'),
  evidence: z.looseObject({}).describe('The values compared; wei as decimal strings'),
  micros: z.number().describe('Time taken, in µs'),
  call: webhookCall.optional(),
});

export type TraceStep = z.output<typeof traceStep>;

/** What a rule says about an operation, without the values that it compared. */
export const walkedStep = traceStep.pick({ rule: true, outcome: true, shadow: true });

export type WalkedStep = z.output<typeof walkedStep>;

/** The latest time that a JavaScript `Date` can hold. */
export const LAST_MS = 8_640_000_000_000_000;

/** More digits than any product of 256-bit numbers in a decision. Limited because export files may come from anyone. */
const digits = z.string().regex(/^\d{1,200}$/, 'must be a decimal string');
const weiText = digits.describe('wei, decimal');
const unixSeconds = z
  .int()
  .nonnegative()
  .max(LAST_MS / 1000)
  .describe('unix s');

/** A decision as it is exported and shown (behaviour 9.1). A review reads each decision from one line of the export. */
export const decisionRecord = z.strictObject({
  id,
  seq: z.int().positive().describe('Grows from decision to decision, with gaps: the position of its entry in the log'),
  at: z.int().nonnegative().max(LAST_MS).describe('epoch ms'),
  method: z.string(),
  mode: z.string().describe('Empty, like sender and nonce, where the request could not be read'),
  chainId: z.int().positive(),
  entryPoint: z.string(),
  paymasterId: id,
  dapp: z.string(),
  sender: z.string(),
  nonce: z.union([digits, z.literal('')]),
  userOpHash: z.string().nullable(),
  outcome: z.enum(['sponsored', 'denied', 'error']),
  code: z.string(),
  rule: z.string().nullable(),
  message: z.string(),
  hint: z.string(),
  paymasterAndData: z.string(),
  validAfter: unixSeconds.nullable(),
  validUntil: unixSeconds.nullable().describe('unix s; 0: the paymaster contract knows no expiry'),
  maxCostWei: weiText.nullable(),
  actualCostWei: weiText.nullable(),
  settlement: z.enum(['reserved', 'settled', 'released', 'unconfirmed']).nullable(),
  request: z.unknown(),
  trace: z.array(traceStep),
  facts: z.unknown().optional().describe('Everything that was read and waited for; absent in records of before 0.2'),
  policy: z.string().optional().describe('The name of the policy revision'),
  reservations: z
    .array(z.strictObject({ account: z.string(), amount: digits, held: digits }))
    .optional()
    .describe('What the operation takes from the ledger if it is signed, and what was held there before'),
  engine: z.string().optional().describe('The version that decided'),
  wordsDiffer: z
    .boolean()
    .optional()
    .describe('True: the message, the hint and the evidence are not those of the version that decided'),
  policyRevision: z.unknown().optional().describe('In an export, with the first decision by it: the revision itself'),
});

export type DecisionRecord = z.output<typeof decisionRecord>;

/** A decision as lists show it. The rest is loaded when the decision is opened. */
export const decisionRow = decisionRecord
  .pick({ id: true, seq: true, at: true, paymasterId: true, dapp: true, chainId: true, sender: true, mode: true })
  .extend(decisionRecord.pick({ outcome: true, code: true, rule: true, message: true, hint: true }).shape)
  .extend(decisionRecord.pick({ maxCostWei: true, actualCostWei: true, settlement: true }).shape)
  .extend({ subject: z.string().optional().describe('Keyed hash of the person, hex; absent if none was verified') });

export type DecisionRow = z.output<typeof decisionRow>;

/** Decisions in the order in which they were made, or changed by settlement. */
export const feedPage = z.strictObject({
  rows: z
    .array(decisionRow.extend({ isNew: z.boolean().describe('False: its settlement or actual cost has changed') }))
    .describe('Decisions in their current state'),
  upTo: z.number().describe('Position in the feed: the next page starts after it'),
  more: z.boolean().describe('False: there was nothing after `upTo`'),
});

/** A page of the feed. It is the same over HTTP, over IPC and within the process. */
export type FeedPage = z.output<typeof feedPage>;
