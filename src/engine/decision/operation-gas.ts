import { knownChains } from '../../shared/chains.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import { isV06 } from '../../shared/schema/user-operation.ts';
import type { ChainAccess } from '../chain/chain-access.ts';
import { estimateGas } from '../chain/gas/estimate-gas.ts';
import type { RpcClient } from '../chain/rpc.ts';
import type { ReadyPaymaster } from '../paymaster/readiness.ts';
import { fieldOutOfBounds } from '../user-operation/max-cost.ts';
import type { RequestedOperation } from '../user-operation/read-operation.ts';
import { requireRpc } from './chain-reads.ts';
import type { SponsorshipRequest } from './decision-draft.ts';
import { type Step, noteStep } from './steps.ts';

/** What finding out the gas needs. */
export interface GasQuestion {
  readonly request: SponsorshipRequest;
  readonly ready: ReadyPaymaster;
  readonly chains: ChainAccess;
  readonly rpc: RpcClient | undefined;
  /** Signs the operation as the final one will be signed; in a sale, without taking tokens. */
  readonly sponsor: (op: UserOperation) => Hex;
}

/** An operation with its gas, and how that came about. */
interface GasFound {
  readonly op: UserOperation;
  readonly code: 'GAS_GIVEN' | 'GAS_ESTIMATED' | 'GAS_NOT_ESTIMATED';
}

/**
 * The operation with its gas: estimated if that is asked for, else as sent. The paymaster's own limits (v0.7 on) may be
 * left out even then: they are its contract's.
 *
 * @throws EngineError `VALIDATION` if gas is missing or out of bounds, `GAS_ESTIMATION_FAILED`, `CHAIN_UNREACHABLE`,
 *   or `PAYMASTER_NOT_READY` without an RPC URL
 */
export const withGas = async ({
  request: { userOperation, options },
  ready,
  chains,
  rpc,
  sponsor,
}: GasQuestion): Promise<GasFound> => {
  const given = withGivenGas(userOperation, ready);
  checkPostOpGas(given, ready);
  if (!options.calculateGasLimits) {
    checkGasGiven(userOperation);
    return { op: given, code: 'GAS_GIVEN' };
  }
  const { layout, entryPoint, contract, fundingWallet, chainId } = ready;
  const gas = await estimateGas({
    rpc: requireRpc(rpc, ready),
    bundler: await chains.bundler(chainId),
    chainId,
    rollup: knownChains.get(chainId)?.rollup,
    entryPoint,
    op: given,
    sponsor,
    layout,
    paymaster: contract,
    ...(fundingWallet !== undefined && { fundingWallet }),
  });
  return { op: { ...given, ...gas }, code: 'GAS_ESTIMATED' };
};

/** The operation with the gas it came with, looked at by nobody: while nothing is signed nothing is estimated. */
export const withSentGas = ({ request: { userOperation }, ready }: GasQuestion): GasFound => ({
  op: withGivenGas(userOperation, ready),
  code: 'GAS_NOT_ESTIMATED',
});

/** What is not given is 0, or the contract's. @throws EngineError `VALIDATION` if gas is out of bounds */
export const withGivenGas = (requested: RequestedOperation, { layout }: ReadyPaymaster): UserOperation => {
  const absent = { callGasLimit: 0n, verificationGasLimit: 0n, preVerificationGas: 0n };
  const op: UserOperation = isV06(requested)
    ? { ...absent, ...requested, paymasterAndData: '0x' }
    : { ...absent, ...layout.paymasterGas, ...requested };
  checkBounds(op);
  return op;
};

const EVIDENCE = [
  'callGasLimit',
  'verificationGasLimit',
  'preVerificationGas',
  'paymasterVerificationGasLimit',
  'paymasterPostOpGasLimit',
] as const;

/** Says what gas the operation has in the end. */
export const gasStep = (code: GasFound['code'], op: UserOperation): Step => {
  const limits: Partial<Record<(typeof EVIDENCE)[number], bigint>> = op;
  const known = EVIDENCE.filter((field) => limits[field] !== undefined);
  const evidence = Object.fromEntries(known.map((field) => [field, String(limits[field])]));
  return noteStep('gas', code, { ...evidence, maxFeePerGasWei: String(op.maxFeePerGas) });
};

const fault = (message: string): EngineError => new EngineError('VALIDATION', message, { errors: [message] });

/** Some clients send zero for what nobody has told them; only an operation without a call can do without gas for it. */
const checkGasGiven = (op: RequestedOperation): void => {
  const fields = ['callGasLimit', 'verificationGasLimit', 'preVerificationGas'] as const;
  const absent = fields.find(
    (field) => op[field] === undefined || (op[field] === 0n && (field !== 'callGasLimit' || op.callData !== '0x')),
  );
  if (absent !== undefined) throw fault(`${absent} must be given, above 0, unless calculateGasLimits is true`);
};

/** A contract whose postOp runs out of gas pays for the operation and takes nothing for it. */
const checkPostOpGas = (op: UserOperation, { layout }: ReadyPaymaster): void => {
  const least = layout.paymasterGas?.paymasterPostOpGasLimit ?? 0n;
  if (isV06(op) || (op.paymasterPostOpGasLimit ?? least) >= least) return;
  throw fault(`paymasterPostOpGasLimit must be at least ${least} for this paymaster, or left out`);
};

const checkBounds = (op: UserOperation): void => {
  const field = fieldOutOfBounds(op);
  if (field !== undefined) throw fault(`${field} must be at most 2^120 - 1, or the EntryPoint refuses it (AA94)`);
};
