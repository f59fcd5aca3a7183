import { z } from 'zod';

/** The rules that can deny, in the order in which they are looked at (SPEC 5). */
export const decidingRules = [
  'pause',
  'contracts',
  'walletDeployment',
  'fees',
  'spendingLimit',
  'tokenPayment',
  'gasTank',
  'webhook',
  'burnRate',
] as const;

/** A rule that can deny. */
export type DecidingRule = (typeof decidingRules)[number];

/** A call to a webhook as it went out and came back. */
const webhookCall = z.strictObject({
  webhookId: z.string(),
  url: z.string(),
  method: z.enum(['GET', 'POST']),
  request: z.strictObject({ headers: z.record(z.string(), z.string()), body: z.string() }),
  status: z.number().optional(),
  response: z.string().describe('Up to 64 KiB of the body'),
});

/** One step of a decision's trace: what was asked, what was compared, what came out (SPEC 5, Trace). */
export const traceStep = z.strictObject({
  rule: z.string(),
  outcome: z.enum(['pass', 'deny', 'skip']),
  code: z.string(),
  evidence: z.record(z.string(), z.unknown()).describe('The values compared; wei as decimal strings'),
  micros: z.number().describe('Time taken, in µs'),
  call: webhookCall.optional(),
});

/** One step of a decision's trace. */
export type TraceStep = z.output<typeof traceStep>;

/** The last moment that a JavaScript `Date` can be. */
const LAST_MS = 8_640_000_000_000_000;

/** Longer than any product of 256-bit numbers that a decision holds; an export is read from anybody's file. */
const digits = z.string().regex(/^\d{1,200}$/, 'must be a decimal string');
const weiText = digits.describe('wei, decimal');
const unixSeconds = z
  .int()
  .nonnegative()
  .max(LAST_MS / 1000)
  .describe('unix s');

/** A decision as it is exported and shown (SPEC 1): one line of the export, by which a review reads it again. */
export const decisionRecord = z.strictObject({
  id: z.string(),
  seq: z.int().positive(),
  at: z.int().nonnegative().max(LAST_MS).describe('epoch ms'),
  method: z.string(),
  mode: z.string().describe('Empty, like sender and nonce, where the request could not be read'),
  chainId: z.int().positive(),
  entryPoint: z.string(),
  paymasterId: z.string(),
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
  validUntil: unixSeconds.nullable(),
  maxCostWei: weiText.nullable(),
  actualCostWei: weiText.nullable(),
  settlement: z.enum(['reserved', 'settled', 'released', 'unconfirmed']).nullable(),
  ruleRevision: z.number(),
  request: z.unknown(),
  trace: z.array(traceStep),
});

/** A decision as it is exported and shown. */
export type DecisionRecord = z.output<typeof decisionRecord>;
