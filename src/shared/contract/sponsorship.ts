import { z } from 'zod';
import { partialUserOperation } from '../schema/partial-user-operation.ts';
import { sponsorshipOptions } from '../schema/sponsorship.ts';
import { chainId } from '../schema/text.ts';
import { procedure } from './procedure.ts';

const reason = z.strictObject({
  code: z.string(),
  rule: z.string(),
  message: z.string(),
  hint: z.string(),
});

/** Deciding and signing. */
export const sponsorshipProcedures = {
  'sponsorship.sponsor': procedure({
    summary: 'Decide whether to sponsor a user operation, sign it if so, and store the decision before answering',
    input: z.strictObject({
      chainId,
      apiKey: z.string(),
      method: z.string(),
      userOperation: partialUserOperation,
      options: sponsorshipOptions,
      received: z.unknown().describe('The request as it came in, for the trace'),
    }),
    output: z.strictObject({
      decisionId: z.string(),
      sponsored: z.boolean(),
      paymasterAndData: z.string(),
      // Gas as decimal strings: a client may send limits beyond what JSON numbers hold.
      callGasLimit: z.string(),
      verificationGasLimit: z.string(),
      preVerificationGas: z.string(),
      reason: reason.optional(),
    }),
    errors: [
      'UNKNOWN_API_KEY',
      'PAYMASTER_NOT_READY',
      'CHAIN_UNREACHABLE',
      'GAS_ESTIMATION_FAILED',
      'FEE_TOKEN_REQUIRED',
      'TOKEN_NOT_SUPPORTED',
    ],
  }),
};
