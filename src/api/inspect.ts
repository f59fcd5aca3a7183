import { z } from 'zod';
import { decisionRow } from '../shared/schema/decision.ts';
import { MAX_INSPECTED, inspection } from '../shared/schema/inspection.ts';
import { chainId } from '../shared/schema/text.ts';
import { procedure } from './procedure.ts';

const decision = decisionRow
  .pick({ id: true, at: true, dapp: true, chainId: true, outcome: true, code: true, message: true })
  .extend({ by: z.enum(['userOpHash', 'sender and nonce', 'paymasterAndData']).describe('What it was found by') });

export const inspectProcedures = {
  'inspect.value': procedure({
    summary: 'Decode a value: paymaster data, a user operation, a bundle, a hash, an error',
    input: z.strictObject({
      value: z
        .string()
        .min(1)
        .max(MAX_INSPECTED)
        .refine((text) => text.isWellFormed(), 'must be text, without halves of surrogate pairs'),
      chainId: chainId.positive().optional().describe('The chain it belongs to; absent: any that the desk works on'),
    }),
    output: inspection.extend({
      decisions: z.array(decision).describe('That it belongs to, newest first'),
      names: z
        .array(z.strictObject({ address: z.string(), name: z.string() }))
        .describe('Addresses in it that the desk knows'),
      at: z.number().describe('When it was inspected, epoch ms'),
    }),
  }),
};
