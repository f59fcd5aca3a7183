import { z } from 'zod';
import { procedure } from './procedure.ts';

const check = z.strictObject({
  name: z.string(),
  ok: z.boolean(),
  detail: z.string(),
  fix: z.string().describe('What to do; empty where nothing is wrong'),
});

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
