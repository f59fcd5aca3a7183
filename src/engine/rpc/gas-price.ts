import { z } from 'zod';
import type { ErrorCode } from '../../shared/errors.ts';
import { hexQuantity } from '../../shared/schema/quantity.ts';
import { hexOf } from './dialects/paymaster-fields.ts';
import type { MethodContext, RpcMethod } from './method.ts';

const fees = z.strictObject({ maxFeePerGas: hexQuantity, maxPriorityFeePerGas: hexQuantity });
const bySpeed = z.strictObject({ slow: fees, standard: fees, fast: fees });
const exampleFees = { maxFeePerGas: '0x59682f12', maxPriorityFeePerGas: '0x59682f00' };
const example = { slow: exampleFees, standard: exampleFees, fast: exampleFees };
const SUMMARY = 'Fees for an operation, of three speeds, by the bundler of the chain, or else by its node';
const ERRORS: readonly ErrorCode[] = ['PAYMASTER_NOT_READY', 'CHAIN_UNREACHABLE', 'VAULT_LOCKED'];

type Fees = z.output<typeof fees>;

const read = async ({ service, chainId, apiKey }: MethodContext): Promise<z.output<typeof bySpeed>> => {
  const { slow, standard, fast } = await service.run('sponsorship.gasPrice', { chainId, apiKey });
  const inHex = ({ maxFeePerGas, maxPriorityFeePerGas }: typeof slow): Fees => ({
    maxFeePerGas: hexOf(maxFeePerGas),
    maxPriorityFeePerGas: hexOf(maxPriorityFeePerGas),
  });
  return { slow: inHex(slow), standard: inHex(standard), fast: inHex(fast) };
};

/** A method of Pimlico's form: clients take their fees from the client that they call the paymaster with. */
export const gasPriceMethod = (method: string): RpcMethod => ({
  method,
  summary: SUMMARY,
  params: [],
  result: bySpeed,
  example: { params: [], result: example },
  errors: ERRORS,
  handle: (_params, context) => read(context),
});

/** Biconomy's: of its clients, those of 2024 and earlier read two fees and later ones read three speeds. */
export const biconomyGasPriceMethod = (method: string): RpcMethod => ({
  method,
  summary: `${SUMMARY}; and those of the standard speed by themselves`,
  params: [],
  result: bySpeed.extend(fees.shape),
  example: { params: [], result: { ...example, ...exampleFees } },
  errors: ERRORS,
  async handle(_params, context) {
    const answer = await read(context);
    return { ...answer, ...answer.standard };
  },
});
