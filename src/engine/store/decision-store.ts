import type { NewRecord } from '../../core/decision/stored-record.ts';
import type { Reservation } from '../../core/ledger/account.ts';
import type { DecisionRecord } from '../../shared/schema/decision.ts';
import type { Pause, PolicyRevision, SettingsScope } from './policy-store.ts';

/** A ledger account or, with `since`, the buckets of its rolling window from that number on, which count together. */
export type LedgerPart = Pick<Reservation, 'account' | 'since'>;

/** A decision without its `seq`, which the store assigns. */
export type DecisionDraft = NewRecord & Pick<DecisionRecord, 'settlement' | 'actualCostWei'>;

/** Ids of held amounts. */
export type Holds = readonly number[];

export interface LedgerFacts {
  readonly reservations: readonly Reservation[];
  /** `Store.ledgerVersion` when the balance of the tank had not been read yet. */
  readonly ledgerVersion: number;
  /** `Store.settingsVersion` when the settings had not been read yet; undefined if no settings apply. */
  readonly settings?: { readonly scope: SettingsScope; readonly version: number };
}

export interface DappPause extends Pause {
  readonly paymasterId: string;
}

export interface ChainPause extends Pause {
  readonly chainId: number;
}

/** The data to commit, given the current amounts of the accounts in which the decision reserves. */
export interface CommitPlan {
  /** Called after the other decisions of the same commit are decided: its signature can be made meanwhile. */
  decision: () => DecisionDraft;
  reserve: boolean;
  /** Actual reservations, in the same order. Default: the requested amounts. */
  taken?: readonly Reservation[];
  /** Pauses every DApp of this chain with the decision. Existing pauses stay unchanged. */
  pauseChain?: ChainPause | undefined;
  /** Pauses only this DApp. An existing pause stays unchanged. */
  pauseDapp?: DappPause | undefined;
  /** The policy of the decision. It is stored with the first decision that uses it. */
  revision?: PolicyRevision;
}
