import { z } from 'zod';
import { address } from '../../../shared/schema/hex.ts';
import { sponsorshipOptions } from '../../../shared/schema/sponsorship.ts';
import { contextParam, signingErrors, userOperationParam } from '../common-params.ts';
import { biconomySponsorship, sponsorBiconomy } from '../dialects/biconomy.ts';
import { pimlicoSponsorship, sponsorPimlico } from '../dialects/pimlico.ts';
import { exampleOperationV06 } from '../examples.ts';
import type { RpcMethod } from '../method.ts';

/**
 * One name for the methods of two dialects. The second parameter is the EntryPoint's address in Pimlico's dialect, and
 * an options object in Biconomy's.
 */
export const pmSponsorUserOperation: RpcMethod = {
  method: 'pm_sponsorUserOperation',
  summary: "Decide, sign and store. A denial is a result in Biconomy's dialect, and an error in Pimlico's",
  params: [
    userOperationParam,
    {
      name: 'optionsOrEntryPoint',
      summary: "Biconomy's options; or, in Pimlico's dialect, the address of the EntryPoint",
      schema: z.union([sponsorshipOptions, address]),
    },
    { ...contextParam, summary: "Pimlico's dialect only" },
  ],
  result: z.union([biconomySponsorship, pimlicoSponsorship]),
  example: {
    params: [exampleOperationV06, { mode: 'SPONSORED', calculateGasLimits: true, expiryDuration: 300 }],
    result: {
      MODE: 'SPONSORED',
      mode: 'SPONSORED',
      paymasterAndData: '0x9d1f9f6a3c0b0da29dcd7a0ff8a2cd8ffbae1b6d',
      preVerificationGas: '75388',
      verificationGasLimit: 57121,
      callGasLimit: 108848,
    },
  },
  errors: [...signingErrors, 'ENTRY_POINT_MISMATCH'],
  handle: (params, context) =>
    typeof params[1] === 'string' ? sponsorPimlico(params, context) : sponsorBiconomy(params, context),
};
