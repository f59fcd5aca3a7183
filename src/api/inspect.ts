import { z } from 'zod';
import { decisionRow } from '../shared/schema/decision.ts';
import { MAX_INSPECTED, inspection } from '../shared/schema/inspection.ts';
import { WELL_FORMED_ERROR, chainId, isWellFormed } from '../shared/schema/text.ts';
import { procedure } from './procedure.ts';

const decision = decisionRow
  .pick({ id: true, at: true, dapp: true, chainId: true, outcome: true, code: true, message: true })
  .extend({
    by: z.enum(['userOpHash', 'sender and nonce', 'paymasterAndData']).describe('How the decision was found'),
  });

export const inspectProcedures = {
  'inspect.value': procedure({
    summary: 'Decode a value: paymaster data, a user operation, a bundle, a hash, an error',
    input: z.strictObject({
      value: z.string().min(1).max(MAX_INSPECTED).refine(isWellFormed, WELL_FORMED_ERROR),
      chainId: chainId.positive().optional().describe('The chain that it belongs to; absent: any configured chain'),
    }),
    output: inspection.extend({
      decisions: z.array(decision).describe('Decisions that it belongs to, newest first'),
      names: z.array(z.strictObject({ address: z.string(), name: z.string() })).describe('Known addresses in it'),
      at: z.number().describe('Time of the inspection, epoch ms'),
    }),
  }),
};
