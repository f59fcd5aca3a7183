import { z } from 'zod';
import type { ProcedureOutput } from '../../../api/index.ts';
import { address, hex } from '../../../shared/schema/hex.ts';
import { hexQuantity, toQuantity } from '../../../shared/schema/quantity.ts';

/** Converts a decimal number to a JSON-RPC quantity. */
export const hexOf = (decimal: string): string => toQuantity(BigInt(decimal));

/** The paymaster's field in an answer for EntryPoint v0.6. */
export const paymasterFieldsV06 = z.strictObject({ paymasterAndData: hex });

/**
 * The paymaster's fields in an answer for EntryPoint v0.7 and later: four, or five if the signature is a suffix of the
 * data.
 */
export const paymasterFieldsV07 = z.strictObject({
  paymaster: address,
  paymasterData: hex,
  paymasterVerificationGasLimit: hexQuantity,
  paymasterPostOpGasLimit: hexQuantity,
  paymasterSignature: hex
    .optional()
    .describe('Signature of a parallel-0.9 contract, unless the client expects it at the end of paymasterData'),
});

/** The paymaster's fields as ERC-7677 and Pimlico's dialect name them: one for v0.6, four or five from v0.7 on. */
export const paymasterFields = ({
  paymasterAndData,
  fields,
}: Pick<ProcedureOutput<'sponsorship.stub'>, 'paymasterAndData' | 'fields'>): Record<string, string> => {
  if (fields === undefined) return { paymasterAndData };
  return {
    paymaster: fields.paymaster,
    paymasterData: fields.paymasterData,
    paymasterVerificationGasLimit: hexOf(fields.paymasterVerificationGasLimit),
    paymasterPostOpGasLimit: hexOf(fields.paymasterPostOpGasLimit),
    ...(fields.paymasterSignature !== undefined && { paymasterSignature: fields.paymasterSignature }),
  };
};

/** The account's gas limits and preVerificationGas, if the answer contains them. */
export const gasFields = {
  preVerificationGas: hexQuantity,
  verificationGasLimit: hexQuantity,
  callGasLimit: hexQuantity,
};

export const gasOf = ({
  preVerificationGas,
  verificationGasLimit,
  callGasLimit,
}: ProcedureOutput<'sponsorship.sponsor'>): Record<keyof typeof gasFields, string> => ({
  preVerificationGas: hexOf(preVerificationGas),
  verificationGasLimit: hexOf(verificationGasLimit),
  callGasLimit: hexOf(callGasLimit),
});
