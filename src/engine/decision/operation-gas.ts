import { EngineError } from '../../shared/errors.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import type { PartialUserOperationV06 } from '../../shared/schema/sponsorship.ts';
import type { UserOperationV06 } from '../../shared/schema/user-operation.ts';
import type { ChainAccess } from '../chain/chain-access.ts';
import { estimateGas } from '../chain/gas/estimate-gas.ts';
import type { RpcClient } from '../chain/rpc.ts';
import type { ReadyPaymaster } from '../paymaster/readiness.ts';
import { fieldOutOfBounds } from '../user-operation/max-cost.ts';
import { requireRpc } from './chain-reads.ts';
import type { SponsorshipRequest } from './decision-draft.ts';
import { type Step, noteStep } from './steps.ts';

/** What finding out the gas needs. */
export interface GasQuestion {
  readonly request: SponsorshipRequest;
  readonly ready: ReadyPaymaster;
  readonly chains: ChainAccess;
  readonly rpc: RpcClient | undefined;
  /** Signs the operation as the final one will be signed. */
  readonly sponsor: (op: UserOperationV06) => Hex;
}

/**
 * The operation with its gas: estimated if that is asked for, else as sent.
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
}: GasQuestion): Promise<{ op: UserOperationV06; step: Step }> => {
  const given: UserOperationV06 = {
    ...userOperation,
    callGasLimit: userOperation.callGasLimit ?? 0n,
    verificationGasLimit: userOperation.verificationGasLimit ?? 0n,
    preVerificationGas: userOperation.preVerificationGas ?? 0n,
    paymasterAndData: '0x',
  };
  checkBounds(given);
  if (!options.calculateGasLimits) {
    checkGasGiven(userOperation);
    return { op: given, step: noteStep('gas', 'GAS_GIVEN', gasEvidence(given)) };
  }
  const { layout, entryPoint, contract, fundingWallet, chainId } = ready;
  const gas = await estimateGas({
    rpc: requireRpc(rpc, ready),
    bundler: await chains.bundler(chainId),
    entryPoint,
    op: given,
    sponsor,
    layout,
    paymaster: contract,
    ...(fundingWallet !== undefined && { fundingWallet }),
  });
  const op = { ...given, ...gas };
  return { op, step: noteStep('gas', 'GAS_ESTIMATED', gasEvidence(op)) };
};

const gasEvidence = (op: UserOperationV06) => ({
  callGasLimit: String(op.callGasLimit),
  verificationGasLimit: String(op.verificationGasLimit),
  preVerificationGas: String(op.preVerificationGas),
  maxFeePerGasWei: String(op.maxFeePerGas),
});

const fault = (message: string): EngineError => new EngineError('VALIDATION', message, { errors: [message] });

const checkGasGiven = (op: PartialUserOperationV06): void => {
  const absent = (['callGasLimit', 'verificationGasLimit', 'preVerificationGas'] as const).find(
    (field) => op[field] === undefined,
  );
  if (absent !== undefined) throw fault(`${absent} must be given unless calculateGasLimits is true`);
};

const checkBounds = (op: UserOperationV06): void => {
  const field = fieldOutOfBounds(op);
  if (field !== undefined) throw fault(`${field} must be at most 2^120 - 1, or the EntryPoint refuses it (AA94)`);
};
