import { z } from 'zod';
import type { ProcedureOutput } from '../../../api/index.ts';
import { address, hex } from '../../../shared/schema/hex.ts';
import { hexQuantity, toQuantity } from '../../../shared/schema/quantity.ts';

/** A decimal string as JSON-RPC writes quantities. */
export const hexOf = (decimal: string): string => toQuantity(BigInt(decimal));

/** The paymaster's part on the wire, for EntryPoint v0.6: in one field. */
export const paymasterFieldsV06 = z.strictObject({ paymasterAndData: hex });

/** The same from v0.7 on: in four fields. */
export const paymasterFieldsV07 = z.strictObject({
  paymaster: address,
  paymasterData: hex,
  paymasterVerificationGasLimit: hexQuantity,
  paymasterPostOpGasLimit: hexQuantity,
});

/** The paymaster's part of an operation as ERC-7677 and Pimlico's dialect name it: in one field, from v0.7 on in four. */
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
  };
};

/** The account's gas limits and the bundler's gas, where they are answered. */
export const gasFields = {
  preVerificationGas: hexQuantity,
  verificationGasLimit: hexQuantity,
  callGasLimit: hexQuantity,
};

/** The same of an answer. */
export const gasOf = ({
  preVerificationGas,
  verificationGasLimit,
  callGasLimit,
}: ProcedureOutput<'sponsorship.sponsor'>): Record<keyof typeof gasFields, string> => ({
  preVerificationGas: hexOf(preVerificationGas),
  verificationGasLimit: hexOf(verificationGasLimit),
  callGasLimit: hexOf(callGasLimit),
});
