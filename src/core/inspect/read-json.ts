import { EngineError } from '../../shared/errors.ts';
import { type Address, type Hex, addressKey, isHex } from '../../shared/schema/hex.ts';
import { parse } from '../../shared/schema/parse.ts';
import { type PartialUserOperation, partialUserOperation } from '../../shared/schema/partial-user-operation.ts';
import { gasLimits } from '../../shared/schema/user-operation.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import type { EntryPoint } from '../entry-points/entry-point.ts';
import { allEntryPoints, entryPointAt } from '../entry-points/registry.ts';
import { byteLength, digits, toHex } from '../user-operation/hex-digits.ts';
import { contractForm } from '../user-operation/pack-user-operation.ts';
import { signatureSuffix } from '../user-operation/paymaster-signature.ts';
import { splitPaymaster } from './bundle.ts';
import type { FoundOperation } from './operation.ts';

/** A part of a JSON text that can be decoded further. */
export type FoundPart =
  | { readonly kind: 'operation'; readonly found: FoundOperation }
  | {
      readonly kind: 'text';
      readonly path: string;
      readonly text: string;
      readonly chainId: number | undefined;
      readonly entryPoint: Address | undefined;
    }
  | { readonly kind: 'error'; readonly path: string; readonly why: string };

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const looksLikeOperation = (value: unknown): value is Members =>
  isMembers(value) && 'sender' in value && ('callData' in value || 'nonce' in value);

const ONLY_FROM_V07 = [
  'factory',
  'factoryData',
  'accountGasLimits',
  'gasFees',
  'paymaster',
  'paymasterData',
  'paymasterSignature',
  'paymasterVerificationGasLimit',
  'paymasterPostOpGasLimit',
  'eip7702Auth',
  'authorization',
];

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

/** The EntryPoint that the text names; otherwise the newest one whose operations have these fields. */
const entryPointOf = (members: Members, address: Address | undefined): EntryPoint => {
  const hasLaterFields = ONLY_FROM_V07.some((field) => isPresent(members[field]));
  const hasEarlierFields = isPresent(members['initCode']) || isPresent(members['paymasterAndData']);
  const isPacked = hasLaterFields || !hasEarlierFields;
  return entryPointAt(address) ?? allEntryPoints.reduce((newest, one) => (one.isPacked === isPacked ? one : newest));
};

const missingIn = (partial: PartialUserOperation): string[] => {
  const fees = partial.gasFees === undefined ? (['maxFeePerGas', 'maxPriorityFeePerGas'] as const) : [];
  const limits = gasLimits.filter((field) => field === 'preVerificationGas' || partial.accountGasLimits === undefined);
  return [...limits, ...fees].filter((field) => partial[field] === undefined);
};

const paymasterOf = (partial: PartialUserOperation, isPacked: boolean): object => {
  const { paymasterAndData = '0x', paymaster, paymasterData } = partial;
  if (!isPacked) return { paymasterAndData };
  if (paymaster === undefined) return splitPaymaster(paymasterAndData);
  const { paymasterVerificationGasLimit = 0n, paymasterPostOpGasLimit = 0n, paymasterSignature = '0x' } = partial;
  const data = toHex(digits(paymasterData ?? '0x'), signatureSuffix(digits(paymasterSignature)));
  return { paymaster, paymasterVerificationGasLimit, paymasterPostOpGasLimit, paymasterData: data };
};

/**
 * Reads an operation in any format.
 * @throws EngineError `VALIDATION`, which names the field; RangeError if a gas value is too large
 */
const operationIn = (
  members: Members,
  { entryPoint, chainId, path }: Pick<FoundOperation, 'entryPoint' | 'chainId' | 'path'>,
): FoundOperation => {
  const partial = parse(partialUserOperation, members);
  const { read, isPacked } = entryPointOf(members, entryPoint);
  const missing = missingIn(partial);
  const zero = Object.fromEntries(missing.map((field) => [field, 0n]));
  const authorized = Number(partial.eip7702Auth?.chainId ?? partial.authorization?.chainId ?? 0n);
  const requested = read({ ...partial, ...zero }, authorized);
  const op = { ...requested, ...paymasterOf(partial, isPacked) } as UserOperation;
  // Throws if a gas value or fee has more than 128 bits and does not fit into a packed operation.
  contractForm(op);
  const known = Object.keys(partialUserOperation.shape);
  const unknown = Object.keys(members).filter((field) => !known.includes(field));
  const { paymasterAndData = '0x' } = partial;
  const isCut = isPacked && paymasterAndData !== '0x' && byteLength(paymasterAndData) < 52;
  const notes = [
    ...(unknown.length > 0 ? [`Members that no operation has: ${unknown.slice(0, 20).join(', ').slice(0, 500)}.`] : []),
    ...(isCut ? ['paymasterAndData has fewer than 52 bytes: the EntryPoint refuses it (AA93).'] : []),
  ];
  return { op, missing, entryPoint, chainId: chainId ?? (authorized === 0 ? undefined : authorized), path, notes };
};

/** The maximum number of decoded parts of one text. */
const MAX_PARTS = 20;

const ADDRESS = /^0x[\da-fA-F]{40}$/;

const asAddress = (value: unknown): Address | undefined =>
  typeof value === 'string' && ADDRESS.test(value) ? addressKey(value as Address) : undefined;

const QUANTITY = /^(?:0x[\da-fA-F]{1,13}|\d{1,15})$/;

const asChainId = (value: unknown): number | undefined => {
  const text = typeof value === 'number' ? String(value) : value;
  const number = typeof text === 'string' && QUANTITY.test(text) ? Number(text) : 0;
  return number > 0 ? number : undefined;
};

const tryOperation = (members: Members, where: Pick<FoundOperation, 'entryPoint' | 'chainId' | 'path'>): FoundPart => {
  try {
    return { kind: 'operation', found: operationIn(members, where) };
  } catch (error) {
    if (!(error instanceof EngineError) && !(error instanceof RangeError)) throw error;
    return { kind: 'error', path: where.path.replace(/[.]$/, ''), why: error.message };
  }
};

/** Members whose text can be decoded by itself, in the order in which they are tried. */
const TEXTS = ['paymasterAndData', 'input', 'data', 'callData', 'message', 'userOpHash', 'transactionHash', 'hash'];

/** Members of JSON-RPC messages that contain the actual values. */
const WRAPPERS = ['params', 'result', 'error', 'userOperation', 'userOp', 'request', 'cause', 'receipt'];

const packedPaymaster = (members: Members): Hex | undefined => {
  const { paymaster, paymasterData, paymasterVerificationGasLimit: first, paymasterPostOpGasLimit: second } = members;
  const address = asAddress(paymaster);
  if (address === undefined || typeof paymasterData !== 'string' || !isHex(paymasterData)) return undefined;
  const half = (value: unknown): string => (asChainId(value) ?? 0).toString(16).padStart(32, '0');
  const { paymasterSignature } = members;
  const isApart = typeof paymasterSignature === 'string' && isHex(paymasterSignature);
  const suffix = isApart ? signatureSuffix(digits(paymasterSignature)) : '';
  return `${address}${half(first)}${half(second)}${digits(paymasterData)}${suffix}`;
};

interface Surroundings {
  readonly path: string;
  readonly entryPoint: Address | undefined;
  readonly chainId: number | undefined;
  readonly levels: number;
}

const inside = (path: string, step: string): string => (path === '' ? step : `${path}.${step}`);

const partsOfMembers = (members: Members, around: Surroundings): FoundPart[] => {
  // A bundle is sent to its EntryPoint, so `to` may name it.
  const to = asAddress(members['to']);
  const entryPoint = asAddress(members['entryPoint']) ?? (entryPointAt(to) === undefined ? around.entryPoint : to);
  const chainId = asChainId(members['chainId']) ?? around.chainId;
  const here = { ...around, entryPoint, chainId };
  const { path } = around;
  if (looksLikeOperation(members)) {
    return [tryOperation(members, { ...here, path: path === '' ? '' : `${path}.` })];
  }
  const packed = packedPaymaster(members);
  if (packed !== undefined)
    return [{ kind: 'text', path: inside(path, 'paymaster'), text: packed, chainId, entryPoint }];
  const wrapped = WRAPPERS.flatMap((name) =>
    isPresent(members[name]) ? partsOf(members[name], { ...here, path: inside(path, name) }) : [],
  );
  const texts = TEXTS.flatMap((name): FoundPart[] => {
    const text = members[name];
    if (typeof text === 'string' && text !== '0x')
      return [{ kind: 'text', path: inside(path, name), text, chainId, entryPoint }];
    return isMembers(text) ? partsOf(text, { ...here, path: inside(path, name) }) : [];
  });
  return [...wrapped, ...texts];
};

const partsOfList = (items: readonly unknown[], around: Surroundings): FoundPart[] => {
  // In `params`, the EntryPoint and chain follow the operation.
  const entryPoint = items.map(asAddress).find((address) => entryPointAt(address) !== undefined) ?? around.entryPoint;
  const first = items.findIndex(looksLikeOperation);
  const chainId =
    first < 0
      ? undefined
      : items
          .slice(first + 1)
          .map(asChainId)
          .find((id) => id !== undefined);
  const here = { ...around, entryPoint, chainId: chainId ?? around.chainId };
  return items.slice(0, MAX_PARTS).flatMap((item, index) => {
    const path = `${around.path}[${index}]`;
    const isOwn = typeof item === 'string' && first < 0 && item.length > ADDRESS_LENGTH;
    return isOwn || typeof item === 'object' ? partsOf(item, { ...here, path }) : [];
  });
};

const ADDRESS_LENGTH = 42;

const partsOf = (value: unknown, around: Surroundings): FoundPart[] => {
  if (around.levels === 0) return [];
  const here = { ...around, levels: around.levels - 1 };
  const { path, chainId, entryPoint } = around;
  if (typeof value === 'string') return [{ kind: 'text', path, text: value, chainId, entryPoint }];
  if (Array.isArray(value)) return partsOfList(value, here);
  return isMembers(value) ? partsOfMembers(value, here) : [];
};

/** Maximum nesting. JSON-RPC messages and their errors are less deeply nested. */
const MAX_LEVELS = 8;

/** The parts of a JSON text that can be decoded: operations, requests that contain them, responses and errors. */
export const partsOfJson = (value: unknown): FoundPart[] =>
  partsOf(value, { path: '', entryPoint: undefined, chainId: undefined, levels: MAX_LEVELS }).slice(0, MAX_PARTS);
