import { z } from 'zod';
import { procedure } from './procedure.ts';

const check = z.strictObject({
  name: z.string(),
  ok: z.boolean(),
  detail: z.string(),
  fix: z.string().describe('What to do; empty where nothing is wrong'),
});

const pause = z.strictObject({
  since: z.number().describe('epoch ms'),
  reason: z.string().nullable().describe("The operator's own words"),
});

const reason = z
  .string()
  .max(300)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not contain control characters');

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
      paused: pause.nullable().describe('Null while operations are sponsored'),
    }),
    errors: [],
  }),
  'system.pause': procedure({
    summary: 'Pause all sponsorship: nothing is signed until it is resumed. A pause that goes on keeps its beginning',
    input: z.strictObject({ reason: reason.optional() }),
    output: pause,
    errors: [],
  }),
  'system.resume': procedure({
    summary: 'End the pause of all sponsorship',
    input: z.strictObject({}),
    output: z.null(),
    errors: [],
  }),
  'system.doctor': procedure({
    summary: 'Check the data folder, the vault, every chain and every attached contract',
    input: z.strictObject({}),
    output: z.strictObject({ ok: z.boolean(), checks: z.array(check) }),
    errors: [],
  }),
};
