import type { Hex } from '../../shared/schema/hex.ts';
import type { Secret } from '../secret.ts';
import type { Vault } from './vault.ts';

/** Name under which a chain's signing key is in the vault. */
export const signerKeyName = (chainId: number): string => `signer.${chainId}`;

/**
 * The private key that signs sponsorships on a chain; undefined if there is none.
 * @throws EngineError `VAULT_LOCKED`
 */
export const signerKey = (vault: Vault, chainId: number): Secret<Hex> | undefined =>
  vault.get(signerKeyName(chainId)) as Secret<Hex> | undefined;
