import { readFileSync } from 'node:fs';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import type {
  EntryPointVersion,
  PackedUserOperation,
  UserOperation,
  UserOperationV06,
  UserOperationV07,
} from '../../src/shared/schema/user-operation.ts';

type Json<T> = { [Key in keyof T]: Hex };

/** Common fields of the cases in userop-hash.json, gas.json and paymaster-layouts.json. */
interface OperationVector {
  id: string;
  description: string;
  entryPointVersion: EntryPointVersion;
  entryPoint: Address;
  chainId: number;
  userOp: Json<UserOperation>;
  /** From v0.7 on. */
  packedUserOp?: Json<PackedUserOperation>;
}

export interface UserOpHashVector extends OperationVector {
  userOpHash: Hex;
  eip7702Delegate?: Address;
}

export interface GasVector extends OperationVector {
  outcome: 'ok' | 'refused';
  /** Decimal wei, if the outcome is ok. */
  maxCost?: string;
}

/** A case of paymaster-layouts.json; its id begins with that of the contract and mode. */
export interface PaymasterVector extends OperationVector {
  contract: string;
  contractVersion: string;
  contractAddress: Address;
  validity: { validUntil: number; validAfter: number };
  params: PaymasterParams;
  signerPrivateKey: Hex;
  signerAddress: Address;
  hash: Hex;
  ethSignedDigest: Hex;
  signature: Hex;
  paymasterAndData: Hex;
  layout: { field: string; offset: number; length: number; value: Hex }[];
  stub: { signature: Hex; paymasterAndData: Hex };
  userOpHash: Hex;
  /** Charge of a mined operation to the funding wallet's balance. */
  fundingIdCharge?: {
    balanceNeededBeforehand: string;
    balanceDeducted: string;
    unaccountedGas: string;
    nativeGasCostGivenToPostOp: string;
    feePerGas: string;
    keptPenalty?: string;
  };
  /** Charge of a mined operation to its sender. */
  tokenCharge?: { tokenAmountPaid: string };
}

/** Other signed values; amounts are decimal. */
export interface PaymasterParams {
  paymasterId?: Address;
  senderNonce?: string;
  priceMarkup?: number;
  allowAllBundlers?: boolean;
  eip7702Delegate?: Address;
  /** Pimlico's name for it. */
  token?: Address;
  /** Biconomy's name for it. */
  feeToken?: Address;
  /** 1: the oracle's rate. */
  priceSource?: number;
  oracleAggregator?: Address;
  exchangeRate?: string;
  postOpGas?: string;
  paymasterValidationGasLimit?: string;
  treasury?: Address;
  preFund?: string;
  constantFee?: string;
  recipient?: Address;
}

interface VectorFiles {
  'userop-hash': UserOpHashVector;
  gas: GasVector;
  'paymaster-layouts': PaymasterVector;
}

/** The cases of a file in test/vectors, made with the real contracts on a local chain. */
export const vectorCases = <Name extends keyof VectorFiles>(name: Name): VectorFiles[Name][] => {
  const text = readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), 'utf8');
  return (JSON.parse(text) as { cases: VectorFiles[Name][] }).cases;
};

/** Operations of v0.9 that its EntryPoint has no hash for, because their paymaster data ends in a false length. */
export const refusedHashes = (version: '0.9'): { what: string; paymasterAndData: Hex }[] => {
  const text = readFileSync(new URL('../vectors/userop-hash.json', import.meta.url), 'utf8');
  const { refused } = JSON.parse(text) as {
    refused: { entryPointVersion: string; what: string; paymasterAndData: Hex }[];
  };
  return refused.filter(({ entryPointVersion }) => entryPointVersion === version);
};

const QUANTITIES = new Set([
  'nonce',
  'callGasLimit',
  'verificationGasLimit',
  'preVerificationGas',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'paymasterVerificationGasLimit',
  'paymasterPostOpGasLimit',
]);

const withBigints = (op: object): unknown =>
  Object.fromEntries(
    Object.entries(op).map(([field, value]) => [field, QUANTITIES.has(field) ? BigInt(value as Hex) : (value as Hex)]),
  );

export const operationV06 = ({ userOp }: OperationVector): UserOperationV06 => withBigints(userOp) as UserOperationV06;

export const operationV07 = ({ userOp }: OperationVector): UserOperationV07 => withBigints(userOp) as UserOperationV07;

export const operationOf = (vector: OperationVector): UserOperation =>
  entryPoints[vector.entryPointVersion].isPacked ? operationV07(vector) : operationV06(vector);

/** From v0.7 on. @throws Error for a v0.6 case, which has no packed form */
export const packedOperation = ({ packedUserOp }: OperationVector): PackedUserOperation => {
  if (packedUserOp === undefined) throw new Error('v0.6 operations have no packed form');
  return withBigints(packedUserOp) as PackedUserOperation;
};
