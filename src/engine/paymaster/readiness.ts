import { fixes } from '../base/fixes.ts';
import { entryPoints } from '../../core/entry-points/registry.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { Secret } from '../base/secret.ts';
import { signerKey } from '../signer/chain-signer.ts';
import type { Vault } from '../signer/vault.ts';
import type { Store } from '../store/store.ts';
import type { Dapp, PaymasterContract } from '../store/registry-store.ts';
import type { AttachableLayout, PaymasterLayout, TokenLayout } from '../../core/paymaster-layouts/layout.ts';
import { requireLayout } from '../../core/paymaster-layouts/registry.ts';

export interface ReadyContract<Layout extends AttachableLayout> {
  readonly chainId: number;
  readonly layout: Layout;
  readonly entryPoint: Address;
  readonly contract: Address;
  /** False until the contract has been verified. */
  readonly checked: boolean;
  readonly signer: Address;
  readonly key: Secret<Hex>;
}

export interface Tank extends Pick<ReadyContract<PaymasterLayout>, 'chainId' | 'layout' | 'entryPoint' | 'contract'> {
  /** Owner of the tank; undefined if the contract has no tanks. */
  readonly fundingWallet: Address | undefined;
}

export interface ReadyPaymaster extends ReadyContract<PaymasterLayout>, Tank {}

export interface ReadyTokenPaymaster extends ReadyContract<TokenLayout> {
  /** The address to which singletons send the tokens. Biconomy's contract has a setting for this. */
  readonly treasury: Address;
}

type ReadinessStore = Pick<Store, 'findPaymasterContract' | 'findSigner' | 'findChain'>;

const missing = (what: string, message: string, fix: string): EngineError =>
  new EngineError('PAYMASTER_NOT_READY', `${message} ${fix}`, { missing: what, fix });

const howToAttach = ({ version, deployment }: AttachableLayout, chainId: number): string => {
  const target = `--chain ${chainId} --version ${version}`;
  const deploy = deployment === undefined ? '' : `"gasdesk contract deploy ${target} --from-key-file FILE" or `;
  return `Run ${deploy}"gasdesk contract use ${target} --address 0x…".`;
};

/** The contract attached for a version. @throws EngineError `PAYMASTER_NOT_READY` */
export const requireContract = async (
  store: Pick<Store, 'findPaymasterContract'>,
  chainId: number,
  layout: AttachableLayout,
): Promise<PaymasterContract> => {
  const contract = await store.findPaymasterContract(chainId, layout.version);
  if (contract !== undefined) return contract;
  const message = `No paymaster contract ${layout.version} is attached on chain ${chainId}.`;
  throw missing('contract', message, howToAttach(layout, chainId));
};

const requireFundingWallet = ({ name, fundingWallet }: Dapp, { hasTanks }: PaymasterLayout) => {
  if (!hasTanks) return undefined;
  if (fundingWallet !== null) return fundingWallet;
  const fix = 'Verify one on the Gas tank tab of the DApp in the console, or run "gasdesk funding-wallet set".';
  throw missing('fundingWallet', `The DApp ${name} has no funding wallet.`, fix);
};

const readyContract = async <Layout extends AttachableLayout>(
  store: ReadinessStore,
  vault: Vault,
  chainId: number,
  layout: Layout,
): Promise<ReadyContract<Layout>> => {
  const contract = await requireContract(store, chainId, layout);
  const signer = await store.findSigner(chainId);
  if (signer === undefined) {
    throw missing('signer', `Chain ${chainId} has no signer.`, fixes.createSigner(chainId));
  }
  if (vault.state !== 'unlocked') {
    throw missing('vault', 'The vault that holds the signing key is locked.', fixes.unlockVault);
  }
  const key = signerKey(vault, chainId, signer.address);
  if (key === undefined) {
    throw missing('signer', `The vault does not hold the key of ${signer.address}.`, fixes.importSigner(chainId));
  }
  const { address, checked } = contract;
  const entryPoint = entryPoints[layout.entryPointVersion].address;
  return { chainId, layout, entryPoint, contract: address, checked, signer: signer.address, key };
};

/**
 * The tank of a DApp. Determining it requires no keys.
 *
 * @throws EngineError `PAYMASTER_NOT_READY` if no contract is attached, or no funding wallet is known
 */
export const requireTank = async (store: Pick<Store, 'findPaymasterContract'>, dapp: Dapp): Promise<Tank> => {
  const { chainId, version } = dapp;
  const layout = requireLayout(version);
  const { address } = await requireContract(store, chainId, layout);
  const fundingWallet = requireFundingWallet(dapp, layout);
  const entryPoint = entryPoints[layout.entryPointVersion].address;
  return { chainId, layout, entryPoint, contract: address, fundingWallet };
};

/**
 * Returns everything that signing for a DApp requires (behaviour 3.1).
 *
 * @throws EngineError `PAYMASTER_NOT_READY`, which names the missing part and the command that sets it up
 */
export const requireReady = async (store: ReadinessStore, vault: Vault, dapp: Dapp): Promise<ReadyPaymaster> => {
  const ready = await readyContract(store, vault, dapp.chainId, requireLayout(dapp.version));
  return { ...ready, fundingWallet: requireFundingWallet(dapp, ready.layout) };
};

/**
 * Returns everything that taking tokens for a DApp requires: the singleton itself, or Biconomy's token paymaster for
 * `1.1.0`.
 *
 * @throws EngineError `PAYMASTER_NOT_READY`, also for a version without token mode
 */
export const requireTokenReady = async (
  store: ReadinessStore,
  vault: Vault,
  { chainId, version }: Pick<Dapp, 'chainId' | 'version'>,
): Promise<ReadyTokenPaymaster> => {
  const { token } = requireLayout(version);
  if (token === undefined) {
    const fix = 'Register the DApp with version 1.1.0 or a singleton to let users pay in tokens.';
    throw missing('tokenMode', `Paymaster version ${version} has no token mode.`, fix);
  }
  const ready = await readyContract(store, vault, chainId, token);
  const settings = await store.findChain(chainId);
  return { ...ready, treasury: settings?.treasury ?? ready.signer };
};
