import { isDeepStrictEqual } from 'node:util';
import { hexlify } from 'ethers';
import type { RpcClient } from '../chain/rpc.ts';
import type { Entropy } from '../base/clock.ts';
import { EngineError } from '../../shared/errors.ts';
import { type Address, sameAddress } from '../../shared/schema/hex.ts';
import { readSigner } from './contract-reads.ts';
import { findAttachable } from '../../core/paymaster-layouts/registry.ts';
import { Secret } from '../base/secret.ts';
import type { ChainSigner, PaymasterContract } from '../store/registry-store.ts';
import type { Store } from '../store/store.ts';
import { addressOf, nextSignerKeyName, requireSigner, signerKeyName } from '../signer/chain-signer.ts';
import type { Vault } from '../signer/vault.ts';

export interface NextSignerContext {
  readonly store: Pick<
    Store,
    | 'findSigner'
    | 'listSigners'
    | 'saveSigner'
    | 'listPaymasterContracts'
    | 'savePaymasterContract'
    | 'openOperatorTransactions'
  >;
  readonly vault: Vault;
  readonly entropy: Entropy;
  readonly rpc: (chainId: number) => Promise<RpcClient>;
}

/** Address of the prepared next key of a chain; undefined if no key is prepared. @throws EngineError `VAULT_LOCKED` */
export const nextSignerOf = (vault: Vault, chainId: number): Address | undefined => {
  const key = vault.get(nextSignerKeyName(chainId));
  return key === undefined ? undefined : addressOf(key.reveal());
};

/**
 * Creates a chain's next signing key. If one is already prepared, returns it, because a contract may already accept it.
 *
 * @throws EngineError `SIGNER_MISSING` if the chain has no signer yet, `VAULT_LOCKED`
 */
export const prepareNextSigner = async (
  { store, vault, entropy }: Pick<NextSignerContext, 'store' | 'vault' | 'entropy'>,
  chainId: number,
): Promise<ChainSigner> => {
  await requireSigner(store, chainId);
  const known = nextSignerOf(vault, chainId);
  if (known !== undefined) return { chainId, address: known };
  const privateKey = hexlify(entropy.bytes(32));
  const address = addressOf(privateKey);
  await vault.set(nextSignerKeyName(chainId), new Secret(privateKey));
  return { chainId, address };
};

export const refusing = async (
  call: RpcClient['call'],
  contracts: readonly PaymasterContract[],
  signer: Address,
): Promise<PaymasterContract[]> => {
  const answers = contracts.map(async (contract) => {
    const layout = findAttachable(contract.version);
    const accepted = layout && (await readSigner(call, layout, contract.address, signer));
    return accepted !== undefined && sameAddress(accepted, signer) ? [] : [contract];
  });
  return (await Promise.all(answers)).flat();
};

const contractsOn = async (
  store: Pick<Store, 'listPaymasterContracts'>,
  chainId: number,
): Promise<PaymasterContract[]> =>
  (await store.listPaymasterContracts()).filter((contract) => contract.chainId === chainId);

/** The contract with `checked` reset, for comparisons: a decision or `doctor` may verify a contract in the meantime. */
const unchecked = (contract: PaymasterContract): PaymasterContract => ({ ...contract, checked: false });

const mustAccept = (next: Address, [first]: readonly PaymasterContract[]): void => {
  if (first === undefined) return;
  const { version, address } = first;
  const fix = 'Send the transaction that makes it accept that key from the account of its owner, then try again.';
  const message = `The contract ${address} (${version}) does not accept the next key ${next} yet. ${fix}`;
  throw new EngineError('CONTRACT_MISMATCH', message, { contract: address, signer: next, fix });
};

/**
 * Makes the prepared key the signer. There are three steps: the signer's address in the store, the key in its place in
 * the vault, the removal of the prepared key. After an interruption between them, the next start (`reconcileSigners`)
 * completes them.
 *
 * @param replacing a contract to attach in the same step, replacing the one of its version
 * @throws EngineError `SIGNER_MISSING` if no key is prepared, `CONTRACT_MISMATCH` if a contract does not accept it,
 * `RPC_MISSING`, `CHAIN_UNREACHABLE`, `VAULT_LOCKED`; RpcError; errors of store and vault. The previous key then
 * remains the signer
 */
export const useNextSigner = async (
  context: Pick<NextSignerContext, 'store' | 'vault' | 'rpc'>,
  chainId: number,
  replacing?: Omit<PaymasterContract, 'checked'>,
): Promise<ChainSigner> => {
  const { store, vault, rpc } = context;
  const next = nextSignerOf(vault, chainId);
  if (next === undefined)
    throw new EngineError(
      'SIGNER_MISSING',
      `Chain ${chainId} has no prepared key. Run "gasdesk signer prepare-next --chain ${chainId}" first.`,
    );
  const attached = await contractsOn(store, chainId);
  const contracts = [
    ...attached.filter(({ version }) => version !== replacing?.version),
    ...(replacing === undefined ? [] : [{ ...replacing, checked: true }]),
  ];
  if (contracts.length > 0) mustAccept(next, await refusing((await rpc(chainId)).call, contracts, next));
  // During the chain reads, another contract may have been attached, or the prepared key may have been used or dropped.
  const now = await contractsOn(store, chainId);
  if (!isDeepStrictEqual(now.map(unchecked), attached.map(unchecked)))
    throw new EngineError('CONTRACT_MISMATCH', 'The attached contracts changed meanwhile. Try again.');
  const key = vault.get(nextSignerKeyName(chainId));
  if (key === undefined || !sameAddress(addressOf(key.reveal()), next)) throw new EngineError('SIGNER_MISSING');
  const signer: ChainSigner = { chainId, address: next };
  try {
    // Once recorded in the store, the prepared key signs, wherever it is in the vault.
    await Promise.all([
      store.saveSigner(signer),
      ...contracts.map((contract) => store.savePaymasterContract(contract)),
    ]);
    await vault.set(signerKeyName(chainId), key);
  } catch (error) {
    // If this write fails too, the prepared key stays recorded as the signer, and the next start moves it into place.
    const present = vault.get(signerKeyName(chainId));
    if (present !== undefined) {
      await store.saveSigner({ chainId, address: addressOf(present.reveal()) }).catch(() => undefined);
    }
    throw error;
  }
  await vault.delete(nextSignerKeyName(chainId));
  return signer;
};

/**
 * Deletes the prepared key, unless a contract accepts it or is about to, because that contract would have no signer.
 *
 * @throws EngineError `CONTRACT_MISMATCH`, `CHAIN_UNREACHABLE`, `RPC_MISSING`, `VAULT_LOCKED`
 */
export const dropNextSigner = async (
  { store, vault, rpc }: Pick<NextSignerContext, 'store' | 'vault' | 'rpc'>,
  chainId: number,
): Promise<void> => {
  const next = nextSignerOf(vault, chainId);
  if (next === undefined) return;
  const inFlight = (await store.openOperatorTransactions()).filter(
    ({ state, outcome }) => state === 'sent' || outcome === null,
  );
  if (inFlight.some((one) => one.chainId === chainId && one.signer !== null && sameAddress(one.signer, next))) {
    const message = `A transaction that makes a contract accept ${next} is pending. Wait until it is mined.`;
    throw new EngineError('CONTRACT_MISMATCH', message);
  }
  const attached = await contractsOn(store, chainId);
  const behind = attached.length === 0 ? [] : await refusing((await rpc(chainId)).call, attached, next);
  const accepting = attached.find((contract) => !behind.includes(contract));
  if (accepting !== undefined) {
    const fix = 'First switch to this key, or remove it from the contract.';
    throw new EngineError('CONTRACT_MISMATCH', `The contract ${accepting.address} accepts ${next}. ${fix}`, { fix });
  }
  await vault.delete(nextSignerKeyName(chainId));
};
