import type { ProcedureArguments, ProcedureName, ProcedureOutput } from '../../shared/contract/index.ts';
import type { ChainAccess } from '../chain/chain-access.ts';
import type { Clock, Entropy } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Vault } from '../signer/vault.ts';
import type { Store } from '../store/store.ts';
import type { Deliverer } from '../webhooks/deliver.ts';

/** What the procedures work with. */
export interface ServiceContext {
  readonly store: Store;
  readonly vault: Vault;
  readonly chains: ChainAccess;
  readonly webhooks: Deliverer;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log: Log;
  /** Where the HTTP interfaces are served; null while they are not. */
  readonly address: () => string | null;
}

/** Implementation of the named procedures: arguments are already read by their schemas. */
export type Handlers<Names extends ProcedureName> = {
  readonly [Name in Names]: (args: ProcedureArguments<Name>) => Promise<ProcedureOutput<Name>>;
};

/** The names of the procedures of one resource, e.g. `NamesOf<'webhooks'>`. */
export type NamesOf<Resource extends string> = Extract<ProcedureName, `${Resource}.${string}`>;
