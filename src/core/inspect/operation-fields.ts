import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { InspectionSection, NamedValue } from '../../shared/schema/inspection.ts';
import { type EntryPointVersion, type UserOperation, isV06 } from '../../shared/schema/user-operation.ts';
import { decodeCalls } from '../calls/decode-calls.ts';
import { decodeDeployment, deploymentOf } from '../calls/decode-deployment.ts';
import { byteLength, uintDigits } from '../user-operation/hex-digits.ts';
import { callParts, cutBytes, named, sectionOf } from './sections.ts';

/** The two parts of a nonce: key and sequence. */
export const nonceSection = ({ nonce }: UserOperation, path: string): InspectionSection =>
  sectionOf('Nonce', `${path}nonce`, {
    bytes: cutBytes(`0x${uintDigits(nonce, 32)}`, [
      {
        name: 'key',
        length: 24,
        kind: 'number',
        meaning: 'Operations whose nonces have different keys do not wait for each other.',
      },
      { name: 'sequence', length: 8, kind: 'number', meaning: 'Number of earlier operations with this key.' },
    ]),
  });

const GAS_FIELDS = {
  callGasLimit: "Gas for the operation's call.",
  verificationGasLimit: "Gas for creation and validation of the account; on v0.6 also for the paymaster's.",
  preVerificationGas: 'Gas paid for work that the EntryPoint does not meter, such as calldata.',
  paymasterVerificationGasLimit: "Gas for the paymaster's validation.",
  paymasterPostOpGasLimit: "Gas for the paymaster's postOp.",
} as const;

const FEE_FIELDS = {
  maxFeePerGas: 'Maximum price in wei per gas.',
  maxPriorityFeePerGas: 'Maximum price above the base fee, in wei per gas.',
} as const;

/** The gas limits and fees that the text contains. */
export const gasValues = (op: UserOperation, missing: readonly string[]): NamedValue[] => {
  const fields: Readonly<Record<string, unknown>> = { ...op };
  const value =
    (kind: 'gas' | 'wei') =>
    ([name, meaning]: [string, string]): NamedValue[] => {
      const amount = fields[name];
      return typeof amount === 'bigint' && !missing.includes(name) ? [named(name, kind, amount, meaning)] : [];
    };
  return [...Object.entries(GAS_FIELDS).flatMap(value('gas')), ...Object.entries(FEE_FIELDS).flatMap(value('wei'))];
};

/** How the operation creates its account, if it does. */
export const creationSection = (op: UserOperation, path: string): InspectionSection[] => {
  const initCode: Hex = isV06(op)
    ? op.initCode
    : `0x${(op.factory ?? '0x').slice(2)}${(op.factoryData ?? '0x').slice(2)}`;
  if (initCode === '0x') return [];
  const bytes = cutBytes(initCode, [
    { name: 'factory', length: 20, kind: 'address', meaning: 'The contract that creates the account.' },
    { name: 'selector', length: 4, kind: 'bytes', meaning: 'The function of the factory.' },
    { name: 'arguments', kind: 'bytes', meaning: 'The data for the factory.' },
  ]);
  const deployment = deploymentOf(op);
  const parts = deployment === undefined ? {} : callParts(decodeDeployment(deployment, op.sender, new Set()));
  return [sectionOf('Creation of the account', `${path}initCode`, { ...parts, bytes })];
};

/** The bytes of an account's calldata, and the calls that it makes. */
export const callDataSection = (
  callData: Hex,
  sender: Address,
  entryPointVersion: EntryPointVersion | undefined,
  path: string,
): InspectionSection =>
  sectionOf('Calls of the account', `${path}callData`, {
    ...callParts(decodeCalls(callData, { sender, entryPointVersion })),
    bytes: cutBytes(callData, [
      { name: 'selector', length: 4, kind: 'bytes', meaning: 'The function of the account.' },
      { name: 'arguments', kind: 'bytes', meaning: 'The encoded calls that the account decodes.' },
    ]),
  });

const ECDSA = 65;

/** The account's signature. */
export const signatureSection = ({ signature }: UserOperation, path: string): InspectionSection[] => {
  if (signature === '0x') return [];
  const parts =
    byteLength(signature) === ECDSA
      ? ([
          { name: 'r', length: 32, kind: 'bytes', meaning: 'First half of an ECDSA signature.' },
          { name: 's', length: 32, kind: 'bytes', meaning: 'Second half of the signature.' },
          { name: 'v', length: 1, kind: 'number', meaning: 'Determines which of two possible keys signed: 27 or 28.' },
        ] as const)
      : ([{ name: 'signature', kind: 'bytes', meaning: 'In a format that only the account knows.' }] as const);
  return [sectionOf("Signature of the account's owner", `${path}signature`, { bytes: cutBytes(signature, parts) })];
};
