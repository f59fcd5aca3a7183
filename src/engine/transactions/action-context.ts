import type { ChainAccess } from '../chain/chain-access.ts';
import type { Vault } from '../signer/vault.ts';
import type { Store } from '../store/store.ts';

/** What actions are read from. */
export interface ActionContext {
  readonly store: Store;
  readonly vault: Vault;
  readonly chains: ChainAccess;
}
