import { z } from 'zod';
import { id } from '../shared/schema/text.ts';
import { policyChange } from './policies.ts';
import { procedure } from './procedure.ts';

const count = z.strictObject({ nowSponsored: z.number(), nowDenied: z.number() });

export const narrowingProcedures = {
  'policies.narrow': procedure({
    summary:
      'Propose the narrowest policy of a DApp that still sponsors what it has sponsored, and try it on the same decisions; changes nothing',
    input: z.strictObject({
      paymasterId: id,
      last: z.int().min(1).max(100_000).default(10_000).describe('How many decisions, the newest ones'),
      from: z.int().min(0).optional().describe('Only decisions made at this time or later'),
    }),
    output: z.strictObject({
      revision: z.string().describe('The revision in force, which the file would change'),
      text: z.string().describe('A policy file, with figures as comments'),
      changes: z.array(policyChange),
      sponsored: z.number().describe('Decisions that sponsored an operation'),
      trial: z.strictObject({
        decisions: z.number(),
        same: z.number(),
        nowSponsored: z.number(),
        nowDenied: z.number(),
        unknown: z.number(),
        senders: count,
      }),
    }),
    errors: ['PAYMASTER_NOT_FOUND', 'PAYMASTER_NOT_READY'],
  }),
};
