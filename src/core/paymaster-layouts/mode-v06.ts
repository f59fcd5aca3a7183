import { Interface } from 'ethers';
import type { Hex } from '../../shared/schema/hex.ts';
import { isV06 } from '../../shared/schema/user-operation.ts';
import type { UserOperation, UserOperationV06 } from '../../shared/schema/user-operation.ts';
import { USER_OPERATION_V06_ABI } from '../user-operation/abi.ts';
import { digits, toHex } from '../user-operation/hex-digits.ts';
import { sponsoredMaxCostV06 } from '../user-operation/max-cost.ts';
import { type DataField, paymasterField, readFields } from './data-fields.ts';
import { signatureDigits, stubPaymasterAndData } from './layout.ts';
import type { ModeLayout, PromiseTerms } from './layout.ts';

/** The differences between contracts of EntryPoint v0.6. */
export interface ModeV06<Terms> {
  /** The digits after the paymaster's address, with those of a signature, or of none. */
  data(terms: Terms, signature: string): string;
  /** The fields of those digits, in order; the first field may determine the rest. */
  fields(data: string): readonly DataField<Terms>[];
  /** Of the operation whose `paymasterAndData` is complete but for the signature. */
  hash(op: UserOperationV06, terms: Terms): Hex;
  /** Types of `getHash`'s parameters, `OP` for the operation. */
  readonly getHashTypes: string;
  getHashValues(op: UserOperationV06, terms: Terms): readonly unknown[];
  /** Gas that a tank is charged for on top of the operation's maximum cost. */
  readonly overheadGas?: bigint;
}

/** `0x` and the digits of the paymaster's address. */
const PAYMASTER_DIGITS = 42;

const requireV06 = (op: UserOperation): UserOperationV06 => {
  if (isV06(op)) return op;
  throw new Error('this paymaster layout is for operations of EntryPoint v0.6');
};

/** A mode of a contract of EntryPoint v0.6: paymaster || data. */
export const modeV06 = <Terms extends PromiseTerms>(mode: ModeV06<Terms>): ModeLayout<Terms> => {
  const abi = new Interface([
    `function getHash(${mode.getHashTypes.replace('OP', USER_OPERATION_V06_ABI)}) view returns (bytes32)`,
  ]);
  const paymasterAndData = (terms: Terms, signature: string): Hex =>
    toHex(digits(terms.paymaster), mode.data(terms, signature));
  const layout: ModeLayout<Terms> = {
    hash: (op, terms) => mode.hash({ ...requireV06(op), paymasterAndData: paymasterAndData(terms, '') }, terms),
    getHashCall: (op, terms) => {
      const stubbed = { ...requireV06(op), paymasterAndData: stubPaymasterAndData(layout, op, terms) };
      return abi.encodeFunctionData('getHash', mode.getHashValues(stubbed, terms)) as Hex;
    },
    encode: (op, terms, signature) => {
      requireV06(op);
      return paymasterAndData(terms, signatureDigits(signature));
    },
    read: (value) => readFields<Terms>(value, [paymasterField, ...mode.fields(value.slice(PAYMASTER_DIGITS))]),
    reservedCost: (op) => sponsoredMaxCostV06(requireV06(op)) + (mode.overheadGas ?? 0n) * op.maxFeePerGas,
  };
  return layout;
};
