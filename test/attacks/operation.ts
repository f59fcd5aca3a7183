import { Interface } from 'ethers';
import { packUserOperation } from '../../src/core/user-operation/pack-user-operation.ts';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import { withPaymasterAndData } from '../../src/core/user-operation/paymaster-fields.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import { type EntryPointVersion, type UserOperation, isV06 } from '../../src/shared/schema/user-operation.ts';
import { encodeExecute } from '../support/account-call-data.ts';
import { signAsOwner } from '../support/entry-point-world.ts';
import { gameCall } from '../support/operations.ts';
import { ACCOUNT_OWNER, type AttackChain, type Sender } from './chain.ts';
import type { Wish } from './wish.ts';

/** Someone who gets the coins of a plain transfer, and fees. */
export const ACCOMPLICE: Address = `0x${'ac'.repeat(20)}`;

const calls: Readonly<Record<Wish['call'], (chain: AttackChain) => Hex>> = {
  mint: ({ gameItems }) => encodeExecute(gameItems, 0n, gameCall('mint')),
  burn: ({ gameItems }) => encodeExecute(gameItems, 0n, gameCall('burn')),
  transfer: () => encodeExecute(ACCOMPLICE, 1n, '0x'),
  nonsense: () => '0x8dd7712f00',
};

/** What `signature` holds while sponsorship is asked for. */
const placeholder = (bytes: number): Hex =>
  `0x${'f'.repeat(31)}${'0'.repeat(33)}7${'a'.repeat(63)}1c`.padEnd(2 + 2 * bytes, 'fe').slice(0, 2 + 2 * bytes) as Hex;

/** The operation that is wished for, without a paymaster. */
export const wishedOperation = (
  chain: AttackChain,
  version: EntryPointVersion,
  sender: Sender,
  nonce: bigint,
  wanted: Wish,
): UserOperation => {
  const common = {
    sender: sender.address,
    nonce,
    callData: calls[wanted.call](chain),
    callGasLimit: wanted.callGasLimit,
    verificationGasLimit: wanted.verificationGasLimit + (sender.factory === undefined ? 0n : 300_000n),
    preVerificationGas: wanted.given.preVerificationGas,
    ...wanted.fees,
    signature: placeholder(wanted.given.signatureBytes),
  };
  const { factory } = sender;
  const { emptyFields, creation } = entryPoints[version];
  return { ...common, ...emptyFields, ...(factory && creation(factory.address, factory.data)) };
};

const letterCase: Readonly<Record<Wish['letters'], (text: string) => string>> = {
  lower: (text) => text,
  upper: (text) => `0x${text.slice(2).toUpperCase()}`,
  mixed: (text) => text.replace(/[a-f]/g, (letter, at: number) => (at % 2 ? letter.toUpperCase() : letter)),
};

/** The operation as it goes over the wire. Addresses keep their letters, which may be a checksum. */
export const asJson = (op: UserOperation, letters: Wish['letters']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(op).map(([field, value]: [string, unknown]) => {
      if (typeof value === 'bigint') return [field, `0x${value.toString(16)}`];
      const isData = ['initCode', 'factoryData', 'callData', 'signature'].includes(field);
      return [field, isData ? letterCase[letters](value as string) : (value as string)];
    }),
  );

/** What the desk answered, as far as it changes the operation: the same fields in all dialects. */
export interface SignedAnswer {
  readonly paymasterAndData?: Hex;
  readonly paymaster?: Address;
  readonly paymasterData?: Hex;
  readonly paymasterVerificationGasLimit?: string | number;
  readonly paymasterPostOpGasLimit?: string | number;
  readonly callGasLimit?: string | number;
  readonly verificationGasLimit?: string | number;
  readonly preVerificationGas?: string | number;
}

const GAS_FIELDS = ['callGasLimit', 'verificationGasLimit', 'preVerificationGas'] as const;
const uint128 = (value: string | number = 0): string => BigInt(value).toString(16).padStart(32, '0');

const packed = (answer: SignedAnswer): Hex | undefined => {
  if (answer.paymasterAndData !== undefined) return answer.paymasterAndData;
  const { paymaster, paymasterData, paymasterVerificationGasLimit, paymasterPostOpGasLimit } = answer;
  if (paymaster === undefined || paymasterData === undefined) return undefined;
  const limits = uint128(paymasterVerificationGasLimit) + uint128(paymasterPostOpGasLimit);
  return `0x${paymaster.slice(2)}${limits}${paymasterData.slice(2)}`;
};

/** The operation as it was signed for, and what the paymaster signed; undefined if it signed nothing. */
export const signedOperation = (
  op: UserOperation,
  answer: SignedAnswer,
): { op: UserOperation; data: Hex } | undefined => {
  const data = packed(answer);
  if (data === undefined || data === '0x') return undefined;
  const gas = Object.fromEntries(
    GAS_FIELDS.flatMap((field) => (answer[field] === undefined ? [] : [[field, BigInt(answer[field])]])),
  );
  return { op: { ...op, ...gas }, data: data.toLowerCase() as Hex };
};

/** How a hostile account's signature begins. */
const hostile = {
  burn: (gas: bigint): Hex => `0x01${gas.toString(16).padStart(64, '0')}`,
  reveal: (from: number): Hex => `0x02${from.toString(16).padStart(4, '0')}`,
};
export const { burn, reveal } = hostile;

/** An operation that can be mined, and its hash. */
export interface FinishedOperation {
  readonly version: EntryPointVersion;
  readonly op: UserOperation;
  readonly hash: Hex;
}

/** The operation with that `paymasterAndData`, signed by its account. */
export const finishOperation = (
  chainId: number,
  version: EntryPointVersion,
  unsigned: UserOperation,
  paymasterAndData: Hex,
  own?: Hex,
): FinishedOperation => {
  const op = withPaymasterAndData(unsigned, paymasterAndData);
  const hash = entryPoints[version].hash(op, { chainId, entryPoint: entryPoints[version].address });
  const signature = own ?? signAsOwner(version, hash, ACCOUNT_OWNER);
  return { version, op: { ...op, signature }, hash };
};

const V06 =
  '(address sender,uint256 nonce,bytes initCode,bytes callData,uint256 callGasLimit,uint256 verificationGasLimit,uint256 preVerificationGas,uint256 maxFeePerGas,uint256 maxPriorityFeePerGas,bytes paymasterAndData,bytes signature)';
const V07 =
  '(address sender,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,bytes paymasterAndData,bytes signature)';
const handleOps = {
  v06: new Interface([`function handleOps(${V06}[] ops, address beneficiary)`]),
  v07: new Interface([`function handleOps(${V07}[] ops, address beneficiary)`]),
};

/** Calldata of `handleOps`. */
export const bundle = (operations: readonly FinishedOperation[], beneficiary: Address): Hex => {
  const forms = operations.map(({ op }) => (isV06(op) ? op : packUserOperation(op)));
  const isPacked = operations.every(({ version }) => entryPoints[version].isPacked);
  const abi = handleOps[isPacked ? 'v07' : 'v06'];
  return abi.encodeFunctionData('handleOps', [forms, beneficiary]) as Hex;
};
