import { z } from 'zod';
import { EngineError } from '../../../shared/errors.ts';
import { address } from '../../../shared/schema/hex.ts';
import { partialUserOperation } from '../../../shared/schema/partial-user-operation.ts';
import { signingErrors } from '../common-params.ts';
import { isGasOpen } from '../dialects/erc-7677.ts';
import { checkZeroDevTarget, readObject, zeroDevTarget } from '../dialects/one-object.ts';
import { exampleEntryPoint, exampleOperationV07 } from '../examples.ts';
import type { RpcMethod } from '../method.ts';

const schema = z.object({ ...zeroDevTarget, userOp: partialUserOperation, tokenAddress: address });

/** Token quotes. ZeroDev's clients call this method before they pay in a token. */
export const stackupGetERC20TokenQuotes: RpcMethod = {
  method: 'stackup_getERC20TokenQuotes',
  summary: 'The maximum cost of an operation in a token',
  params: [{ name: 'request', summary: 'The operation, its chain and EntryPoint, and the token', schema }],
  result: z.strictObject({
    maxGasCostToken: z.string().describe("In the token's smallest units, decimal digits"),
    tokenDecimals: z.string(),
  }),
  example: {
    params: [
      {
        chainId: 11_155_111,
        userOp: exampleOperationV07,
        tokenAddress: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
        entryPointAddress: exampleEntryPoint,
      },
    ],
    result: { maxGasCostToken: '840000', tokenDecimals: '6' },
  },
  errors: [...signingErrors, 'ENTRY_POINT_MISMATCH', 'CHAIN_MISMATCH'],
  async handle(params, context) {
    const meant = async (given: z.output<typeof schema>) => {
      await checkZeroDevTarget(given, context);
      const { userOp: userOperation, tokenAddress: token } = given;
      return { userOperation, context: { token }, calculateGasLimits: isGasOpen(userOperation) };
    };
    const request = await readObject({ method: this.method, schema, meant }, params, context);
    const { feeQuotes } = await context.service.run('sponsorship.feeQuotes', request);
    const [quote] = feeQuotes;
    if (quote === undefined) throw new EngineError('TOKEN_NOT_SUPPORTED');
    return { maxGasCostToken: quote.maxUnits, tokenDecimals: String(quote.decimal) };
  },
};
