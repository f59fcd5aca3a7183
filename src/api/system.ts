import { z } from 'zod';
import { procedure } from './procedure.ts';

const check = z.strictObject({
  name: z.string(),
  ok: z.boolean(),
  detail: z.string(),
  fix: z.string().describe('What to do; empty if nothing is necessary; advice if the check passed'),
});

const verification = z.strictObject({
  state: z
    .enum(['verified', 'keyNotKnown', 'faulty'])
    .describe('keyNotKnown: consistent, but the key that signed it is unknown'),
  words: z.string().describe('What the file proves, or the first fault'),
  decisionId: z.string().nullable().describe('The decision with the first fault, if the fault is in a decision'),
});

export type Verification = z.output<typeof verification>;

const review = z.strictObject({
  file: z.string().describe('Name of the file that is reviewed, without its folder'),
  savedAt: z.number().describe('Time when the file was last written, epoch ms'),
  from: z.number().describe('Time of the first decision in it, epoch ms'),
  to: z.number().describe('Time of the last decision'),
  verification: verification.optional().describe('Only for a log or a receipt; other files prove nothing'),
});

export type ReviewInfo = z.output<typeof review>;

/** Log levels in increasing order of importance. */
const logLevel = z.enum(['debug', 'info', 'warn', 'error']);

const logLine = z.strictObject({
  seq: z.number().describe('Counted from the start of the service'),
  at: z.number().describe('epoch ms'),
  level: logLevel,
  event: z.string(),
  fields: z.record(z.string(), z.unknown()).describe('Fields from an allow-list. None of them contains a credential'),
});
export const pause = z.strictObject({
  since: z.number().describe('epoch ms'),
  reason: z.string().nullable().describe("The operator's own words, or the breaker's"),
});

export const pauseReason = z
  .string()
  .max(300)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not contain control characters');

export const systemProcedures = {
  'system.info': procedure({
    summary: 'Version, vault state and counts',
    output: z.strictObject({
      version: z.string(),
      url: z.string().nullable().describe('Address of the HTTP interfaces; null while they are not served'),
      vault: z.enum(['absent', 'locked', 'unlocked']),
      paymasters: z.number(),
      decisions: z.number(),
      review: review.optional().describe('Only in the review of a file'),
      paused: pause.nullable().describe('Null while operations are sponsored'),
      now: z.number().optional().describe("Time of Gasdesk's clock, epoch ms; absent in a review"),
      pausedDapps: z
        .array(pause.extend({ paymasterId: z.string(), name: z.string() }))
        .describe('DApps that are paused individually'),
    }),
  }),
  'system.pause': procedure({
    summary: 'Pause all sponsorship: Gasdesk signs nothing until it is resumed. An existing pause keeps its start time',
    input: z.strictObject({ reason: pauseReason.optional() }),
    output: pause,
  }),
  'system.resume': procedure({
    summary: 'End the pause of all sponsorship, and the pauses of DApps by the breakers of chains',
  }),
  'system.doctor': procedure({
    summary: 'Check data folder, disk, vault, backups, clock, every chain and every attached contract',
    output: z.strictObject({ ok: z.boolean(), checks: z.array(check) }),
  }),
  'system.log': procedure({
    summary: 'Read the last 1,000 lines of the log since the service started, the oldest first',
    input: z.strictObject({
      level: logLevel.optional().describe('Only lines of this level and of more important ones'),
      after: z.int().min(0).optional().describe('Only lines after this seq'),
    }),
    output: z.strictObject({
      level: z.enum([...logLevel.options, 'silent']).describe('The least important level that is written'),
      last: z.number().describe('Seq of the newest line, whatever its level'),
      lines: z.array(logLine),
    }),
  }),
};
