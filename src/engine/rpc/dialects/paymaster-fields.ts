import type { ProcedureOutput } from '../../../shared/contract/index.ts';
import { toQuantity } from '../../../shared/schema/quantity.ts';

/** A decimal string as JSON-RPC writes quantities. */
export const hexOf = (decimal: string): string => toQuantity(BigInt(decimal));

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
