import type { ChainFeeStore } from './chain-fee-store.ts';
import type { CostStore } from './cost-store.ts';
import type { DecisionQueries } from './decision-queries.ts';
import type { DecisionStore } from './decision-store.ts';
import type { LogCheckStore } from './log-check-store.ts';
import type { LogStore } from './log-store.ts';
import type { NotificationStore } from './notification-store.ts';
import type { OperatorTransactionStore } from './operator-transaction-store.ts';
import type { PolicyStore } from './policy-store.ts';
import type { RegistryStore } from './registry-store.ts';
import type { SettlementStore } from './settlement-store.ts';
import type { Snapshots } from './snapshots.ts';

/**
 * Storage as large, atomic operations, so that it can be implemented on another database. When a promise resolves, its
 * writes are durable. Code that needs only a part of the store takes only the type of that part.
 */
export interface Store
  extends
    DecisionStore,
    DecisionQueries,
    SettlementStore,
    CostStore,
    PolicyStore,
    RegistryStore,
    ChainFeeStore,
    OperatorTransactionStore,
    NotificationStore,
    LogStore,
    LogCheckStore,
    Snapshots {
  close(): Promise<void>;
}
