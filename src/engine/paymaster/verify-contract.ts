import type { Store } from '../store/store.ts';
import { fixes } from '../base/fixes.ts';
import { EngineError } from '../../shared/errors.ts';
import { addressKey } from '../../shared/schema/hex.ts';
import type { Address } from '../../shared/schema/hex.ts';
import { entryPoints } from '../../core/entry-points/registry.ts';
import { readCode } from '../chain/gas/eth-call.ts';
import { type RpcClient, RpcError, hasReverted, nodeRefusal } from '../chain/rpc.ts';
import { type PaymasterContractCheck, UnexpectedAnswer, verifyPaymasterContract } from './contract-reads.ts';
import { type AttachableLayout, signerKind } from '../../core/paymaster-layouts/layout.ts';

export interface ContractSubject {
  readonly chainId: number;
  readonly layout: AttachableLayout;
  readonly contract: Address;
  readonly signer: Address;
}

type AttachedTo = Omit<ContractSubject, 'signer'>;

const mismatch = (
  { chainId, contract, layout }: AttachedTo,
  detail: string,
  data: Record<string, unknown>,
  remedy = '',
): EngineError => {
  const fix = remedy + fixes.attachContract(chainId, layout.version);
  const message = `The contract ${contract} cannot be used as ${layout.version}: ${detail} ${fix}`;
  return new EngineError('CONTRACT_MISMATCH', message, { ...data, fix });
};

/** The error for a failed call: either the contract is not the expected one, or the chain is unreachable. */
const callError = (subject: AttachedTo, cause: RpcError | UnexpectedAnswer): EngineError => {
  const words = cause.message.slice(0, 200);
  if (cause instanceof UnexpectedAnswer || hasReverted(cause)) {
    return mismatch(subject, `it does not answer like one (${words}).`, { contract: subject.contract });
  }
  return nodeRefusal(subject.chainId, cause);
};

/**
 * Reads from a contract or the node. Converts a refusal to an error of the chain or of the contract.
 *
 * @throws EngineError `CHAIN_UNREACHABLE`, `CONTRACT_MISMATCH` or `PAYMASTER_NOT_READY`
 */
export const withCallErrors = async <T>(subject: AttachedTo, read: () => Promise<T>): Promise<T> => {
  try {
    return await read();
  } catch (error) {
    throw error instanceof RpcError || error instanceof UnexpectedAnswer ? callError(subject, error) : error;
  }
};

/** Says that the chain lacks a layout's EntryPoint; undefined if it has it. @throws RpcError, EngineError `CHAIN_UNREACHABLE` */
export const missingEntryPoint = async (
  rpc: RpcClient,
  { chainId, layout }: Pick<AttachedTo, 'chainId' | 'layout'>,
): Promise<string | undefined> => {
  const { address, version } = entryPoints[layout.entryPointVersion];
  if ((await readCode(rpc, address)) !== '0x') return undefined;
  return `EntryPoint ${version} (${address}) is not deployed on chain ${chainId}.`;
};

const compare = (rpc: RpcClient, subject: ContractSubject): Promise<PaymasterContractCheck> => {
  const { chainId, layout, contract, signer } = subject;
  return withCallErrors(subject, async () => {
    const missing = await missingEntryPoint(rpc, subject);
    if (missing !== undefined) {
      throw mismatch(subject, missing, { entryPoint: entryPoints[layout.entryPointVersion].address });
    }
    return verifyPaymasterContract(rpc.call, layout, { chainId, paymaster: contract, signer });
  });
};

const signerError = ({ layout }: ContractSubject, { vault, contract }: PaymasterContractCheck['signer']): string =>
  signerKind(layout) === 'many'
    ? `the vault's signer ${vault} is not one of its signers.`
    : `its signer is ${contract}, but the vault's is ${vault}.`;

/**
 * Verifies a paymaster contract by its EntryPoint, its hash of a sample operation and its signer (behaviour 3.2).
 *
 * @throws EngineError `CONTRACT_MISMATCH` with the contract's EntryPoint if it is another one, and otherwise with both
 * hashes and both signers; `CHAIN_UNREACHABLE`
 */
export const requireVerified = async (rpc: RpcClient, subject: ContractSubject): Promise<void> => {
  const { otherEntryPoint, hash, signer, matches } = await compare(rpc, subject);
  if (matches) return;
  if (otherEntryPoint !== undefined) {
    const detail = `it uses the EntryPoint ${otherEntryPoint}.`;
    throw mismatch(subject, detail, { entryPoint: otherEntryPoint });
  }
  if (hash.local === addressKey(hash.contract)) {
    const importing = `"gasdesk signer import --chain ${subject.chainId} --private-key-file FILE --replace"`;
    const remedy = `Import the contract's key with ${importing}, or set the vault's signer on the contract. `;
    throw mismatch(subject, signerError(subject, signer), { hash, signer }, remedy);
  }
  const detail = `it hashes a sample operation to ${hash.contract}, but Gasdesk to ${hash.local}. It is another contract or another build.`;
  throw mismatch(subject, detail, { hash, signer });
};

/**
 * Verifies a contract that was attached while its chain was unreachable or before the signer changed, and stores the
 * result. Does nothing if the chain has no RPC URL.
 *
 * @throws EngineError `CONTRACT_MISMATCH`, `CHAIN_UNREACHABLE`
 */
export const ensureVerified = async (
  store: Pick<Store, 'findPaymasterContract' | 'findSigner' | 'savePaymasterContract'>,
  rpc: RpcClient | undefined,
  subject: ContractSubject & { readonly checked: boolean },
): Promise<void> => {
  if (subject.checked || rpc === undefined) return;
  await requireVerified(rpc, subject);
  const { chainId, layout, contract, signer } = subject;
  // During the chain reads, the operator may have attached another contract or changed the signer.
  const [attached, current] = await Promise.all([
    store.findPaymasterContract(chainId, layout.version),
    store.findSigner(chainId),
  ]);
  if (attached?.address !== contract || current?.address !== signer) return;
  await store.savePaymasterContract({ chainId, version: layout.version, address: contract, checked: true });
};
