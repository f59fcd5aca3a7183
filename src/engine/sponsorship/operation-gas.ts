import { knownChains } from '../../shared/chains.ts';
import type { Facts } from '../../core/facts/facts.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Authority } from '../../shared/schema/gas-schedule.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import { isV06 } from '../../shared/schema/user-operation.ts';
import type { ChainAccess } from '../chain/chain-access.ts';
import { estimateGas } from '../chain/gas/estimate-gas.ts';
import type { RpcClient } from '../chain/rpc.ts';
import type { Soon } from '../base/soon.ts';
import type { Entropy } from '../base/clock.ts';
import type { PaymasterGas } from '../../core/user-operation/paymaster-fields.ts';
import { type SponsorshipTerms, stubPaymasterAndData } from '../../core/paymaster-layouts/layout.ts';
import type { ReadyPaymaster } from '../paymaster/readiness.ts';
import { fieldOutOfBounds } from '../../core/user-operation/max-cost.ts';
import type { RequestedOperation } from '../../core/user-operation/read-operation.ts';
import { requireRpc } from './chain-reads.ts';
import type { SponsorshipRequest } from './request-record.ts';
import { type DraftQuestion, type Drafts, draftSigning } from './draft-signing.ts';
import { signTerms } from './sign-terms.ts';

export interface GasQuestion {
  readonly request: SponsorshipRequest;
  readonly ready: ReadyPaymaster;
  readonly chains: ChainAccess;
  readonly rpc: RpcClient | undefined;
  readonly entropy: Entropy;
  /** Signs drafts like the final signer, except that in token mode it takes no tokens. */
  readonly drafting: ReadyPaymaster;
  /** The terms that would be signed if the operation were reserved now. Only an estimate needs them. */
  readonly terms: () => SponsorshipTerms;
  /** The state of the sender's account before its EIP-7702 authorisation takes effect. */
  readonly authority: Authority | undefined;
}

interface GasFound {
  readonly op: UserOperation;
  readonly gasSource: Facts['gasSource'];
}

/**
 * The operation with its gas limits: estimated if requested, otherwise as sent. The paymaster's own limits (v0.7 and
 * later) may be missing in any case, because the paymaster contract determines them.
 *
 * @throws EngineError `VALIDATION` if gas is missing or out of bounds, `GAS_ESTIMATION_FAILED`, `CHAIN_UNREACHABLE`, or
 * `PAYMASTER_NOT_READY` without an RPC URL
 */
export const withGas = ({
  request: { userOperation, options },
  ready,
  chains,
  rpc,
  entropy,
  drafting,
  terms,
  authority,
}: GasQuestion): Soon<GasFound> => {
  const sent = withGivenGas(userOperation, ready);
  // A later simulation shows whether the tokens can be taken with the given limit.
  const isTried = options.mode === 'ERC20' && rpc !== undefined && !options.calculateGasLimits;
  const given = isTried
    ? sent
    : withLeastGas(sent, { paymasterPostOpGasLimit: ready.layout.paymasterGas?.paymasterPostOpGasLimit ?? 0n });
  if (!options.calculateGasLimits) {
    checkGasGiven(userOperation);
    return { op: given, gasSource: 'GAS_GIVEN' };
  }
  return estimated({ ready, chains, rpc, entropy, drafting, terms, authority }, given);
};

const estimated = async (
  { ready, chains, rpc, entropy, drafting, terms, authority }: Omit<GasQuestion, 'request'>,
  given: UserOperation,
): Promise<GasFound> => {
  const { layout, entryPoint, contract, fundingWallet, chainId } = ready;
  const node = requireRpc(rpc, ready);
  const bundler = await chains.bundler(chainId);
  const gas = await estimateGas({
    rpc: node,
    bundler,
    chainId,
    rollup: knownChains.get(chainId)?.rollup,
    entryPoint,
    op: given,
    authority,
    ...(await draftsFor({ ready: drafting, terms: terms(), rpc: node, entropy, bundler }, given)),
    layout,
    paymaster: contract,
    ...(fundingWallet !== undefined && { fundingWallet }),
  });
  return { op: { ...given, ...gas }, gasSource: 'GAS_ESTIMATED' };
};

/** How drafts are signed for a gas estimate. */
const draftsFor = (
  { bundler, ...question }: DraftQuestion & { readonly bundler: RpcClient | undefined },
  op: UserOperation,
): Promise<Drafts> | Drafts => {
  const { ready, terms } = question;
  // This contract does the same work for a placeholder signature, so nothing needs to be signed.
  if (ready.layout.signsApart === true) return { sponsor: (draft) => stubPaymasterAndData(ready.layout, draft, terms) };
  // A bundler may check the validity window, so it gets drafts without gas limits.
  if (bundler !== undefined) return { sponsor: (draft) => signTerms(ready, draft, terms) };
  return draftSigning(question, op);
};

/**
 * The operation with the sent gas limits. A missing limit is 0, or the contract's default. @throws EngineError
 * `VALIDATION` if gas is out of bounds
 */
export const withGivenGas = (requested: RequestedOperation, { layout }: ReadyPaymaster): UserOperation => {
  const absent = { callGasLimit: 0n, verificationGasLimit: 0n, preVerificationGas: 0n };
  const op: UserOperation = isV06(requested)
    ? { ...absent, ...requested, paymasterAndData: '0x' }
    : { ...absent, ...layout.paymasterGas, ...requested };
  checkBounds(op);
  return op;
};

const error = (message: string): EngineError => new EngineError('VALIDATION', message, { errors: [message] });

/** Some clients send zero for unknown gas limits. Only an operation without a call may have a call limit of zero. */
const checkGasGiven = (op: RequestedOperation): void => {
  const fields = ['callGasLimit', 'verificationGasLimit', 'preVerificationGas'] as const;
  const absent = fields.find(
    (field) => op[field] === undefined || (op[field] === 0n && (field !== 'callGasLimit' || op.callData !== '0x')),
  );
  if (absent !== undefined) throw error(`${absent} must be given, above 0, unless calculateGasLimits is true`);
};

/**
 * Raises the paymaster's limits to at least these values. Bundlers estimate them without taking tokens, and if postOp
 * runs out of gas, the contract pays for the operation and takes no tokens.
 */
export const withLeastGas = (op: UserOperation, least: Partial<PaymasterGas> = {}): UserOperation => {
  if (isV06(op)) return op;
  const raised = Object.entries(least).filter(([field, gas]) => (op[field as keyof PaymasterGas] ?? 0n) < gas);
  return { ...op, ...Object.fromEntries(raised) };
};

const checkBounds = (op: UserOperation): void => {
  const field = fieldOutOfBounds(op);
  if (field !== undefined) throw error(`${field} must be at most 2^120 - 1, or the EntryPoint rejects it (AA94)`);
};
