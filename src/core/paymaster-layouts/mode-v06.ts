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

/** How contracts for EntryPoint v0.6 differ. */
export interface ModeV06<Terms> {
  /** The hex digits after the paymaster's address. `signature` may be empty. */
  data(terms: Terms, signature: string): string;
  /** The fields of these digits, in order. The first field may determine which others follow. */
  fields(data: string): readonly DataField<Terms>[];
  /** Hash of the operation, whose `paymasterAndData` is complete except for the signature. */
  hash(op: UserOperationV06, terms: Terms): Hex;
  /** Types of `getHash`'s parameters, with `OP` as a placeholder for the operation's. */
  readonly getHashTypes: string;
  getHashValues(op: UserOperationV06, terms: Terms): readonly unknown[];
  /** Gas that a tank is charged for in addition to the operation's maximum cost. */
  readonly overheadGas?: bigint;
}

/** Length of `0x` and the hex digits of the paymaster's address. */
const PAYMASTER_DIGITS = 42;

const requireV06 = (op: UserOperation): UserOperationV06 => {
  if (isV06(op)) return op;
  throw new Error('this paymaster layout is for operations of EntryPoint v0.6');
};

/** A mode of a contract for EntryPoint v0.6. The format is: paymaster || data. */
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
