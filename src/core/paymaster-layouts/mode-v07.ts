import { Interface } from 'ethers';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import { isV06 } from '../../shared/schema/user-operation.ts';
import type { PackedUserOperation, UserOperation, UserOperationV07 } from '../../shared/schema/user-operation.ts';
import { PACKED_USER_OPERATION_ABI } from '../user-operation/abi.ts';
import { toHex } from '../user-operation/hex-digits.ts';
import { maxCost } from '../user-operation/max-cost.ts';
import { packUserOperation } from '../user-operation/pack-user-operation.ts';
import { type DataField, paymasterField, paymasterGasFields, readFields } from './data-fields.ts';
import { signatureDigits, stubPaymasterAndData } from './layout.ts';
import type { PaymasterGas } from '../user-operation/paymaster-fields.ts';
import type { ModeLayout, PromiseTerms } from './layout.ts';

/** How contracts for EntryPoint v0.7 and v0.8 differ. */
export interface ModeV07<Terms> {
  readonly paymasterGas: PaymasterGas;
  /** `paymasterData`: the hex digits after the gas limits. `signature` may be empty. */
  data(terms: Terms, signature: string): string;
  /** The fields of these digits, in order. The first field may determine which others follow. */
  fields(data: string): readonly DataField<Terms>[];
  /** Hash of the operation, whose `paymasterAndData` is complete except for the signature. */
  hash(op: PackedUserOperation, terms: Terms): Hex;
  /** Types of `getHash`'s parameters, with `OP` as a placeholder for the operation's. */
  readonly getHashTypes: string;
  getHashValues(op: PackedUserOperation, terms: Terms): readonly unknown[];
  /** The amount to reserve in wei, if it differs from the EntryPoint's maximum. */
  reservedCost?(op: UserOperationV07 & PaymasterGas, entryPointMaximum: bigint, terms: Partial<Terms>): bigint;
}

/** Length of `0x` and the hex digits of the paymaster's address and its two gas limits. */
const HEAD_DIGITS = 106;

/** Placeholder for the paymaster's address. It only matters that there is one. */
const ANY_PAYMASTER: Address = `0x${'00'.repeat(20)}`;

/**
 * A mode of a contract for EntryPoint v0.7 or v0.8. The format is: paymaster || uint128 gas limits of validation and
 * postOp || data.
 */
export const modeV07 = <Terms extends PromiseTerms>(mode: ModeV07<Terms>): ModeLayout<Terms> => {
  const abi = new Interface([
    `function getHash(${mode.getHashTypes.replace('OP', PACKED_USER_OPERATION_ABI)}) view returns (bytes32)`,
  ]);
  const withLimits = (op: UserOperation): UserOperationV07 & PaymasterGas => {
    if (isV06(op)) throw new Error('this paymaster layout is for operations of EntryPoint v0.7 and v0.8');
    return { ...mode.paymasterGas, ...op };
  };
  const packed = (op: UserOperation, terms: Terms, signature: string): PackedUserOperation =>
    packUserOperation({
      ...withLimits(op),
      paymaster: terms.paymaster,
      paymasterData: toHex(mode.data(terms, signature)),
    });
  const layout: ModeLayout<Terms> = {
    paymasterGas: mode.paymasterGas,
    hash: (op, terms) => mode.hash(packed(op, terms, ''), terms),
    getHashCall: (op, terms) => {
      const stubbed = { ...packed(op, terms, ''), paymasterAndData: stubPaymasterAndData(layout, op, terms) };
      return abi.encodeFunctionData('getHash', mode.getHashValues(stubbed, terms)) as Hex;
    },
    encode: (op, terms, signature) => packed(op, terms, signatureDigits(signature)).paymasterAndData,
    read: (value) =>
      readFields<Terms>(value, [paymasterField, ...paymasterGasFields, ...mode.fields(value.slice(HEAD_DIGITS))]),
    reservedCost: (op, terms = {}) => {
      const limited = withLimits(op);
      const maximum = maxCost({ ...limited, paymaster: ANY_PAYMASTER });
      return mode.reservedCost?.(limited, maximum, terms) ?? maximum;
    },
  };
  return layout;
};
