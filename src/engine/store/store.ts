import type { Log } from '../base/log.ts';
import type { Soon } from '../base/soon.ts';
import type { Access } from './access.ts';
import type { Snapshots } from './snapshots.ts';
import { accountStore } from './tables/accounts.ts';
import { alertStore } from './tables/alerts.ts';
import { apiKeyStore } from './tables/api-keys.ts';
import { chainFeeStore } from './tables/chain-fees.ts';
import { chainStore } from './tables/chains.ts';
import { dappStore } from './tables/dapps.ts';
import { decisionCounts } from './tables/decision-counts.ts';
import { decisionQueries } from './tables/decision-queries.ts';
import { decisionStore } from './tables/decisions.ts';
import { eventStore } from './tables/events.ts';
import { feeTokenStore } from './tables/fee-tokens.ts';
import { ledgerQueries } from './tables/ledger-queries.ts';
import { logCheckStore } from './tables/log-check.ts';
import { logStore } from './tables/log.ts';
import { notificationStore } from './tables/notifications.ts';
import { costStore } from './tables/operation-costs.ts';
import { operatorTransactionStore } from './tables/operator-transactions.ts';
import { pauseStore } from './tables/pause.ts';
import { policyRevisionStore } from './tables/policy-revisions.ts';
import { policyStore } from './tables/policy.ts';
import { searchIndex } from './tables/search-index.ts';
import { settlementStore } from './tables/settlements.ts';

/** What each database does in its own way. */
interface OwnParts extends Snapshots {
  countDecisions(): Promise<number>;
  logSize?(): Promise<number>;
  /** Writes entries for operators' changes that have none yet. */
  logChanges(): Promise<void>;
  close(): Promise<void>;
}

interface StoreOptions {
  readonly log: Log;
  /** This engine's number, which marks its holds. */
  readonly engine: number;
}

/** The parts of a store on either database, given access to its tables. */
export const storeOf = (access: Access, options: StoreOptions, own: OwnParts) => {
  const index = searchIndex(access);
  return {
    ...accountStore(access),
    ...dappStore(access),
    ...apiKeyStore(access),
    ...policyStore(access),
    ...policyRevisionStore(access),
    ...pauseStore(access),
    ...chainStore(access),
    ...chainFeeStore(access),
    ...feeTokenStore(access),
    ...operatorTransactionStore(access),
    ...notificationStore(access),
    ...eventStore(access),
    ...alertStore(access),
    ...ledgerQueries(access),
    ...decisionStore(access, options),
    ...decisionQueries(access, index),
    fillSearchIndex: index.fillSearchIndex,
    ...decisionCounts(access.rows),
    ...settlementStore(access),
    ...costStore(access),
    ...logStore(access),
    ...logCheckStore(access.rows),
    ...own,
  };
};

/**
 * Storage as large, atomic operations. When a promise resolves, its writes are durable. Code that needs only a part of
 * the store takes only the type of that part.
 */
export type Store = ReturnType<typeof storeOf>;

type Operation = (...args: unknown[]) => Soon<unknown>;

interface Watch {
  /** Runs an operation. Default: it just runs. */
  readonly timed?: (name: string, run: () => Soon<unknown>) => Soon<unknown>;
  /** Throws the error that the caller gets. */
  readonly failed: (cause: unknown) => never;
}

/** The store, with the errors of its operations as `failed` throws them. */
export const watched = (store: Store, { timed = (_, run) => run(), failed }: Watch): Store => {
  const watch =
    (name: string, run: Operation): Operation =>
    (...args) => {
      try {
        const result = timed(name, () => run(...args));
        return result instanceof Promise ? result.catch(failed) : result;
      } catch (error) {
        return failed(error);
      }
    };
  const operations = Object.entries(store) as [string, Operation][];
  return Object.fromEntries(operations.map(([name, run]) => [name, watch(name, run)])) as unknown as Store;
};
