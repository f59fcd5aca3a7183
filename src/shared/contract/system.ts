import { z } from 'zod';
import { procedure } from './procedure.ts';

const check = z.strictObject({
  name: z.string(),
  ok: z.boolean(),
  detail: z.string(),
  fix: z.string().describe('What to do; empty where nothing is wrong'),
});

/** What a review shows in place of a desk. */
const review = z.strictObject({
  file: z.string().describe('Name of the file that is reviewed, without its folder'),
  savedAt: z.number().describe('When the file was written last, epoch ms'),
  from: z.number().describe('When the first of its decisions was made, epoch ms'),
  to: z.number().describe('When the last was made'),
});

/** What a review shows in place of a desk. */
export type ReviewInfo = z.output<typeof review>;

/** The service itself. */
export const systemProcedures = {
  'system.info': procedure({
    summary: 'Version, vault state and counts',
    input: z.strictObject({}),
    output: z.strictObject({
      version: z.string(),
      url: z.string().nullable().describe('Address of the HTTP interfaces; null while they are not served'),
      vault: z.enum(['absent', 'locked', 'unlocked']),
      paymasters: z.number(),
      decisions: z.number(),
      review: review.optional().describe('There only where a file is reviewed'),
    }),
    errors: [],
  }),
  'system.doctor': procedure({
    summary: 'Check the data folder, the vault, every chain and every attached contract',
    input: z.strictObject({}),
    output: z.strictObject({ ok: z.boolean(), checks: z.array(check) }),
    errors: [],
  }),
};
