import { EngineError } from '../../shared/errors.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { PartialUserOperation } from '../../shared/schema/partial-user-operation.ts';
import type {
  EntryPointVersion,
  UserOperationV06,
  UserOperationV07,
  gasLimits,
} from '../../shared/schema/user-operation.ts';
import { byteLength, digits } from './hex-digits.ts';
import { isEip7702 } from './user-op-hash.ts';

type GasLimit = (typeof gasLimits)[number];
type Requested<Op> = Omit<Op, GasLimit | 'paymasterAndData' | 'paymaster' | 'paymasterData'> &
  Partial<Record<GasLimit, bigint>>;

/**
 * A client's operation in the format of its EntryPoint version. It lacks what Gasdesk adds: the paymaster, and gas
 * limits that are still to be estimated.
 */
export type RequestedOperation = Requested<UserOperationV06> | Requested<UserOperationV07>;

/** The properties of a DApp's EntryPoint that reading an operation depends on. */
export interface OperationTarget {
  readonly version: EntryPointVersion;
  readonly address: Address;
  /**
   * True if the EntryPoint accepts 0x7702 in place of a factory, for an account that delegates to a contract by
   * EIP-7702.
   */
  readonly takesEip7702Marker: boolean;
}

const error = (message: string): EngineError => new EngineError('VALIDATION', message, { errors: [message] });

const misfit = (field: string, { version, address }: OperationTarget, needed: string): EngineError =>
  error(`${field} should not exist: this DApp uses EntryPoint ${version} (${address}), ${needed}`);

const ONLY_FROM_V07 = [
  'factory',
  'factoryData',
  'accountGasLimits',
  'gasFees',
  'eip7702Auth',
  'authorization',
] as const satisfies (keyof PartialUserOperation)[];

/**
 * Converts a partial operation to the format of EntryPoint v0.6.
 * @throws EngineError `VALIDATION`, which names the field that is missing or belongs to another EntryPoint version
 */
export const readV06 = (partial: PartialUserOperation, target: OperationTarget): Requested<UserOperationV06> => {
  const foreign = ONLY_FROM_V07.find((field) => partial[field] !== undefined);
  if (foreign !== undefined) throw misfit(foreign, target, 'whose operations have initCode and paymasterAndData');
  const { sender, nonce, initCode, callData, signature } = partial;
  if (initCode !== undefined && initCode !== '0x' && byteLength(initCode) < ADDRESS_LENGTH) {
    throw error('initCode must begin with the address of a factory');
  }
  return {
    sender,
    nonce,
    initCode: initCode ?? '0x',
    callData,
    ...givenLimits(partial),
    maxFeePerGas: needed(partial, 'maxFeePerGas'),
    maxPriorityFeePerGas: needed(partial, 'maxPriorityFeePerGas'),
    signature,
  };
};

/**
 * Converts a partial operation to the format of v0.7 and later: splits packed fields and `initCode`. A value that is
 * given in both forms must be the same.
 * @throws EngineError `VALIDATION`, which names the field that is missing, contradicted or belongs to another
 * EntryPoint version
 */
export const readV07 = (
  sent: PartialUserOperation,
  target: OperationTarget,
  chainId: number,
): Requested<UserOperationV07> => {
  const partial = {
    ...sent,
    ...unpacked(sent, 'accountGasLimits', ['verificationGasLimit', 'callGasLimit']),
    ...unpacked(sent, 'gasFees', ['maxPriorityFeePerGas', 'maxFeePerGas']),
  };
  checkPaymasterFields(sent);
  const { sender, nonce, callData, signature } = partial;
  return {
    sender,
    nonce,
    ...readFactory(partial, target),
    callData,
    ...givenLimits(partial),
    maxFeePerGas: needed(partial, 'maxFeePerGas'),
    maxPriorityFeePerGas: needed(partial, 'maxPriorityFeePerGas'),
    ...givenPaymasterGas(partial),
    signature,
    ...readAuthorization(partial, chainId),
  };
};

/** Only the limits that have a value: a field that is present but undefined would override a default. */
const givenLimits = ({ callGasLimit, verificationGasLimit, preVerificationGas }: PartialUserOperation) => ({
  ...(callGasLimit !== undefined && { callGasLimit }),
  ...(verificationGasLimit !== undefined && { verificationGasLimit }),
  ...(preVerificationGas !== undefined && { preVerificationGas }),
});

/** Clients that set no paymaster gas limits send 0. */
const givenPaymasterGas = (partial: PartialUserOperation) => {
  const { paymasterVerificationGasLimit, paymasterPostOpGasLimit } = partial;
  return {
    ...(paymasterVerificationGasLimit && { paymasterVerificationGasLimit }),
    ...(paymasterPostOpGasLimit && { paymasterPostOpGasLimit }),
  };
};

const needed = (partial: PartialUserOperation, field: 'maxFeePerGas' | 'maxPriorityFeePerGas'): bigint => {
  const value = partial[field];
  if (value === undefined) throw error(`${field} must be given`);
  return value;
};

/** Splits a packed field into its two values. */
const unpacked = <Field extends keyof PartialUserOperation>(
  partial: PartialUserOperation,
  packed: 'accountGasLimits' | 'gasFees',
  [upper, lower]: readonly [Field, Field],
): Partial<Record<Field, bigint>> => {
  const pair = partial[packed];
  const none: Partial<Record<Field, bigint>> = {};
  if (pair === undefined) return none;
  const held = { ...none, [upper]: pair[0], [lower]: pair[1] };
  checkSame(partial, packed, held);
  return held;
};

type Fields = Partial<Record<keyof PartialUserOperation, bigint | Hex | undefined>>;

const sameValue = (one: unknown, other: unknown): boolean => String(one).toLowerCase() === String(other).toLowerCase();

/** Unpacked fields may accompany the packed field that contains them, as long as the values are equal. */
const checkSame = (sent: PartialUserOperation, packed: keyof PartialUserOperation, held: Fields): void => {
  for (const [field, value] of Object.entries(held)) {
    const own = sent[field as keyof PartialUserOperation] ?? undefined;
    if (own === undefined || own === '0x' || sameValue(own, value)) continue;
    throw error(`${field} should not differ from what ${packed} holds: omit one of them`);
  }
};

/** Only the gas limits of the client's paymaster fields are used, but the fields must not contradict each other. */
const checkPaymasterFields = (sent: PartialUserOperation): void => {
  const { paymasterAndData = '0x' } = sent;
  if (paymasterAndData === '0x') return;
  const text = digits(paymasterAndData);
  const limit = (from: number): bigint => BigInt(`0x0${text.slice(from, from + 32)}`);
  checkSame(sent, 'paymasterAndData', {
    paymaster: `0x${text.slice(0, 40)}`,
    paymasterVerificationGasLimit: limit(40),
    paymasterPostOpGasLimit: limit(72),
    paymasterData: `0x${text.slice(104)}`,
  });
};

const ADDRESS_LENGTH = 20;

type FactoryFields = Pick<UserOperationV07, 'factory' | 'factoryData'>;

const readFactory = (sent: PartialUserOperation, target: OperationTarget): FactoryFields => {
  const { initCode = '0x', factory, factoryData } = sent;
  if (initCode === '0x') {
    const given = { ...(factory !== undefined && { factory }), ...(factoryData !== undefined && { factoryData }) };
    return checkedFactory(given, target);
  }
  const held = splitInitCode(initCode);
  // The client may send the EIP-7702 marker without the zeros that pad it to 20 bytes in `initCode`.
  const own = factory !== undefined && isEip7702(factory) ? { ...sent, factory: wholeMarker(factory) } : sent;
  checkSame(own, 'initCode', { factoryData: '0x', ...held });
  return checkedFactory(held, target);
};

/** Pads the marker to the 20 bytes that it takes in `initCode`. */
const wholeMarker = (factory: Hex): Hex => `0x${digits(factory).padEnd(2 * ADDRESS_LENGTH, '0')}`;

const checkedFactory = ({ factory, factoryData }: FactoryFields, target: OperationTarget): FactoryFields => {
  if (factory === undefined) {
    if (factoryData !== undefined) throw error('factory must be given with factoryData');
    return {};
  }
  if (isEip7702(factory)) {
    if (!target.takesEip7702Marker) {
      throw misfit('factory 0x7702', target, 'which does not know it: send eip7702Auth alone');
    }
    return factoryData === undefined ? { factory } : { factory: wholeMarker(factory), factoryData };
  }
  if (byteLength(factory) !== ADDRESS_LENGTH) throw error('factory must be an EVM address, or 0x7702 for EIP-7702');
  return { factory, factoryData: factoryData ?? '0x' };
};

const splitInitCode = (initCode: Hex): FactoryFields => {
  const end = 2 + 2 * ADDRESS_LENGTH;
  const factory = initCode.slice(0, end) as Hex;
  return initCode.length > end ? { factory, factoryData: `0x${initCode.slice(end)}` } : { factory };
};

const readAuthorization = (
  { eip7702Auth, authorization }: PartialUserOperation,
  chainId: number,
): Pick<UserOperationV07, 'eip7702Auth'> => {
  const auth = eip7702Auth ?? authorization;
  if (auth === undefined) return {};
  const differs =
    authorization &&
    Object.entries(auth).some(([field, value]) => !sameValue(value, authorization[field as keyof typeof auth]));
  if (differs) throw error('authorization should not differ from eip7702Auth: omit one of them');
  if (auth.chainId !== 0n && auth.chainId !== BigInt(chainId)) {
    throw error(`eip7702Auth.chainId must be ${chainId}, or 0 for every chain`);
  }
  return { eip7702Auth: auth };
};
