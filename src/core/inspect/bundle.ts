import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { NamedBytes } from '../../shared/schema/inspection.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import { allEntryPoints } from '../entry-points/registry.ts';
import { byteLength } from '../user-operation/hex-digits.ts';
import { splitPaymasterAndData } from '../user-operation/paymaster-fields.ts';
import { type AbiShape, type AbiValue, readAbi } from './abi-bytes.ts';

const word = (name: string, kind: NamedBytes['kind'], meaning: string): AbiShape => ({
  type: 'word',
  name,
  kind,
  meaning,
});
const bytes = (name: string, meaning: string): AbiShape => ({ type: 'bytes', name, kind: 'bytes', meaning });

const SENDER = word('sender', 'address', 'The account.');
const NONCE = word('nonce', 'number', 'Key and sequence.');
const INIT_CODE = bytes('initCode', 'The factory and the data for it.');
const CALL_DATA = bytes('callData', 'Calldata with which the EntryPoint calls the account.');
const PRE_VERIFICATION = word('preVerificationGas', 'gas', 'Gas that the EntryPoint does not meter.');
const PAYMASTER = bytes('paymasterAndData', 'The paymaster and its data.');
const SIGNATURE = bytes('signature', "The account's own.");
const BENEFICIARY = word('beneficiary', 'address', "Address that receives the operations' payments: the bundler's.");

const OPERATION_V06: readonly AbiShape[] = [
  SENDER,
  NONCE,
  INIT_CODE,
  CALL_DATA,
  word('callGasLimit', 'gas', "Gas for the operation's call."),
  word('verificationGasLimit', 'gas', 'Gas for validation.'),
  PRE_VERIFICATION,
  word('maxFeePerGas', 'wei', 'Maximum price in wei per gas.'),
  word('maxPriorityFeePerGas', 'wei', 'Maximum price above the base fee, in wei per gas.'),
  PAYMASTER,
  SIGNATURE,
];

const PACKED_OPERATION: readonly AbiShape[] = [
  SENDER,
  NONCE,
  INIT_CODE,
  CALL_DATA,
  word('accountGasLimits', 'bytes', '16 bytes of verificationGasLimit, 16 bytes of callGasLimit.'),
  PRE_VERIFICATION,
  word('gasFees', 'bytes', '16 bytes of maxPriorityFeePerGas, 16 bytes of maxFeePerGas.'),
  PAYMASTER,
  SIGNATURE,
];

const handleOps = (item: readonly AbiShape[]): readonly AbiShape[] => [
  { type: 'array', name: 'ops', item },
  BENEFICIARY,
];

/** The functions of EntryPoints that execute a bundle, by selector. */
const FUNCTIONS = {
  // handleOps((address,uint256,bytes,bytes,uint256,uint256,uint256,uint256,uint256,bytes,bytes)[],address)
  '0x1fad948c': { isPacked: false, fields: handleOps(OPERATION_V06), title: 'handleOps of EntryPoint 0.6' },
  // handleOps((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)[],address)
  '0x765e827f': { isPacked: true, fields: handleOps(PACKED_OPERATION), title: 'handleOps of EntryPoint 0.7 and later' },
} as const;

export interface Bundle {
  readonly title: string;
  readonly bytes: NamedBytes[];
  readonly operations: readonly { readonly op: UserOperation; readonly notes: readonly string[] }[];
  readonly entryPoint: Address | undefined;
}

type Tuple = Readonly<Record<string, AbiValue>>;

const hexOf = (tuple: Tuple, field: string): Hex => tuple[field] as Hex;
const addressOf = (tuple: Tuple, field: string): Address => `0x${hexOf(tuple, field).slice(-40)}`;
const numberOf = (tuple: Tuple, field: string): bigint => BigInt(hexOf(tuple, field));

const common = (tuple: Tuple) => ({
  sender: addressOf(tuple, 'sender'),
  nonce: numberOf(tuple, 'nonce'),
  callData: hexOf(tuple, 'callData'),
  preVerificationGas: numberOf(tuple, 'preVerificationGas'),
  signature: hexOf(tuple, 'signature'),
});

const operationV06 = (tuple: Tuple): UserOperation => ({
  ...common(tuple),
  initCode: hexOf(tuple, 'initCode'),
  callGasLimit: numberOf(tuple, 'callGasLimit'),
  verificationGasLimit: numberOf(tuple, 'verificationGasLimit'),
  maxFeePerGas: numberOf(tuple, 'maxFeePerGas'),
  maxPriorityFeePerGas: numberOf(tuple, 'maxPriorityFeePerGas'),
  paymasterAndData: hexOf(tuple, 'paymasterAndData'),
});

const pair = (tuple: Tuple, field: string): [bigint, bigint] => {
  const value = hexOf(tuple, field);
  return [BigInt(value.slice(0, 34)), BigInt(`0x${value.slice(34)}`)];
};

const FACTORY_DIGITS = 42;
/** Length of a paymaster address and two gas limits. */
const LEAST_PAYMASTER_DATA = 52;

/** initCode as the two fields of JSON-RPC. */
const splitInitCode = (initCode: Hex): { factory?: Hex; factoryData?: Hex } =>
  initCode === '0x'
    ? {}
    : { factory: initCode.slice(0, FACTORY_DIGITS) as Hex, factoryData: `0x${initCode.slice(FACTORY_DIGITS)}` };

/** The paymaster's fields from v0.7 on; empty if there are too few bytes. */
export const splitPaymaster = (paymasterAndData: Hex) =>
  byteLength(paymasterAndData) < LEAST_PAYMASTER_DATA ? {} : splitPaymasterAndData(paymasterAndData);

const operationV07 = (tuple: Tuple): UserOperation => {
  const [verificationGasLimit, callGasLimit] = pair(tuple, 'accountGasLimits');
  const [maxPriorityFeePerGas, maxFeePerGas] = pair(tuple, 'gasFees');
  return {
    ...common(tuple),
    ...splitInitCode(hexOf(tuple, 'initCode')),
    verificationGasLimit,
    callGasLimit,
    maxPriorityFeePerGas,
    maxFeePerGas,
    ...splitPaymaster(hexOf(tuple, 'paymasterAndData')),
  };
};

const LOST =
  'Its paymasterAndData is too short to name a paymaster and its gas limits: the EntryPoint refuses it (AA93).';

/**
 * Decodes a call of handleOps; undefined for a call of another function.
 * @throws Unreadable if its bytes do not follow the ABI
 */
export const readBundle = (callData: Hex): Bundle | undefined => {
  const selector = callData.slice(0, 10);
  if (!Object.hasOwn(FUNCTIONS, selector)) return undefined;
  const { isPacked, fields, title } = FUNCTIONS[selector as keyof typeof FUNCTIONS];
  const { values, bytes: read } = readAbi(callData, title, fields);
  const tuples = values['ops'] as readonly Tuple[];
  const [only, another] = allEntryPoints.filter((one) => one.isPacked === isPacked);
  return {
    title,
    bytes: read,
    operations: tuples.map((tuple) => {
      const length = byteLength(hexOf(tuple, 'paymasterAndData'));
      const isLost = isPacked && length > 0 && length < LEAST_PAYMASTER_DATA;
      return { op: isPacked ? operationV07(tuple) : operationV06(tuple), notes: isLost ? [LOST] : [] };
    }),
    entryPoint: another === undefined ? only?.address : undefined,
  };
};
