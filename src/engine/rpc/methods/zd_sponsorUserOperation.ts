import { z } from 'zod';
import { address } from '../../../shared/schema/hex.ts';
import { partialUserOperation } from '../../../shared/schema/partial-user-operation.ts';
import { signingErrors } from '../common-params.ts';
import { checkZeroDevTarget, readObject, zeroDevTarget } from '../dialects/one-object.ts';
import { decideWithGas, pimlicoSponsorship } from '../dialects/pimlico.ts';
import { exampleEntryPoint, exampleOperationV07, examplePaymasterFields } from '../examples.ts';
import type { RpcMethod } from '../method.ts';

const schema = z.object({
  ...zeroDevTarget,
  userOp: partialUserOperation,
  gasTokenData: z.object({ tokenAddress: address.nullish() }).nullish().describe('The token to pay in'),
});

/** ZeroDev's method: estimates gas, and returns it with the paymaster's fields. */
export const zdSponsorUserOperation: RpcMethod = {
  method: 'zd_sponsorUserOperation',
  summary: 'ZeroDev: estimate gas, decide, sign and store',
  params: [{ name: 'request', summary: 'The operation, its chain and EntryPoint, and a token to pay in', schema }],
  result: pimlicoSponsorship,
  example: {
    params: [{ chainId: 11_155_111, userOp: exampleOperationV07, entryPointAddress: exampleEntryPoint }],
    result: {
      ...examplePaymasterFields,
      preVerificationGas: '0x1267c',
      verificationGasLimit: '0xdf21',
      callGasLimit: '0x1a930',
    },
  },
  errors: [...signingErrors, 'ENTRY_POINT_MISMATCH', 'CHAIN_MISMATCH'],
  async handle(params, context) {
    const meant = async (given: z.output<typeof schema>) => {
      await checkZeroDevTarget(given, context);
      const { userOp: userOperation, gasTokenData } = given;
      return { userOperation, context: { token: gasTokenData?.tokenAddress }, calculateGasLimits: true };
    };
    return decideWithGas(await readObject({ method: this.method, schema, meant }, params, context), context);
  },
};
