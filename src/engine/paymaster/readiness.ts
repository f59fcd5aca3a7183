import { entryPointAddress } from '../../shared/entry-points.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { Secret } from '../secret.ts';
import { signerKey } from '../signer/chain-signer.ts';
import type { Vault } from '../signer/vault.ts';
import type { Paymaster, Store } from '../store/store.ts';
import type { PaymasterLayout } from './layout.ts';
import { findLayout } from './registry.ts';

/** Everything that signing for a DApp needs, found to be there. */
export interface ReadyPaymaster {
  readonly chainId: number;
  readonly layout: PaymasterLayout;
  readonly entryPoint: Address;
  /** The paymaster contract. */
  readonly contract: Address;
  /** False until the contract was seen to agree with the layout and the signer. */
  readonly checked: boolean;
  readonly signer: Address;
  readonly key: Secret<Hex>;
  /** Whose tank pays; undefined where the contract has no tanks. */
  readonly fundingWallet: Address | undefined;
}

const missing = (what: string, message: string, fix: string): EngineError =>
  new EngineError('PAYMASTER_NOT_READY', `${message} ${fix}`, { missing: what, fix });

/**
 * Collects what signing for a DApp needs (SPEC 3, -32002).
 *
 * @throws EngineError `PAYMASTER_NOT_READY`, which names the missing part and the command that mends it
 */
export const requireReady = async (
  store: Pick<Store, 'findPaymasterContract' | 'findSigner'>,
  vault: Vault,
  { chainId, version, fundingWallet, name }: Paymaster,
): Promise<ReadyPaymaster> => {
  const layout = findLayout(version);
  if (layout === undefined) throw new EngineError('VERSION_NOT_SUPPORTED');
  const contract = await store.findPaymasterContract(chainId, version);
  if (contract === undefined) {
    const target = `--chain ${chainId} --version ${version}`;
    const fix = `Run "gasdesk contract deploy ${target} --from-key-file FILE" or "gasdesk contract use ${target} --address 0x…".`;
    throw missing('contract', `No paymaster contract ${version} is attached on chain ${chainId}.`, fix);
  }
  const signer = await store.findSigner(chainId);
  if (signer === undefined) {
    throw missing('signer', `Chain ${chainId} has no signer.`, `Run "gasdesk signer create --chain ${chainId}".`);
  }
  if (vault.state !== 'unlocked') {
    const fix = 'Start the service with its passphrase in GASDESK_PASSPHRASE or --passphrase-file.';
    throw missing('vault', 'The vault that holds the signing key is locked.', fix);
  }
  const key = signerKey(vault, chainId);
  if (key === undefined) {
    const fix = `Run "gasdesk signer import --chain ${chainId} --private-key-file FILE".`;
    throw missing('signer', `The vault does not hold the key of ${signer.address}.`, fix);
  }
  if (layout.hasTanks && fundingWallet === null) {
    const fix = 'Fetch a funding message, sign it with the funding wallet and send it: README, "Fund a DApp".';
    throw missing('fundingWallet', `The DApp ${name} has no funding wallet.`, fix);
  }
  return {
    chainId,
    layout,
    entryPoint: entryPointAddress[layout.entryPointVersion],
    contract: contract.address,
    checked: contract.checked,
    signer: signer.address,
    key,
    fundingWallet: layout.hasTanks ? (fundingWallet ?? undefined) : undefined,
  };
};
