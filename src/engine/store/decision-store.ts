import type { NewRecord } from '../../core/decision/stored-record.ts';
import type { AccountKey, Reservation } from '../../core/ledger/account.ts';
import type { DecisionRecord } from '../../shared/schema/decision.ts';
import type { Pause, PolicyRevision, SettingsScope } from './policy-store.ts';

/** A ledger account, or with `since` the buckets of its rolling window from there on, which count together. */
export type LedgerPart = Pick<Reservation, 'account' | 'since'>;

/** A decision without its `seq`, which the store assigns. */
export type DecisionDraft = NewRecord & Pick<DecisionRecord, 'settlement' | 'actualCostWei'>;

/** Ids of held amounts. */
export type Holds = readonly number[];

export interface LedgerFacts {
  readonly reservations: readonly Reservation[];
  /** {@link DecisionStore.ledgerVersion} before the balance of the tank was read. */
  readonly ledgerVersion: number;
  /** {@link PolicyStore.settingsVersion} before the settings were read; undefined if no settings apply. */
  readonly settings?: { readonly scope: SettingsScope; readonly version: number };
}

/** What to commit, given the current amounts of the accounts that it reserves in. */
export interface CommitPlan {
  decision: DecisionDraft;
  reserve: boolean;
  /** Actual reservations, in the same order. Default: the requested amounts. */
  taken?: readonly Reservation[];
  /** Pauses all sponsorship with the decision. An existing pause stays unchanged. */
  pause?: Pause | undefined;
  /** Likewise, for the decision's DApp only. */
  pauseDapp?: Pause | undefined;
  /** The policy of the decision, stored with the first decision under it. */
  revision?: PolicyRevision;
}

export interface DecisionStore {
  /**
   * Grows when settlement returns a reserved amount to a tank (a balance read before is then out of date), a withdrawal
   * is recorded or ends, a chain's settings change, or sponsorship resumes.
   */
  ledgerVersion(): Promise<number>;
  /** True if the ledger ever had another account of the same kind and id, besides this user's. */
  hasOtherAccount(account: AccountKey): Promise<boolean>;
  /** Amounts that all decisions together hold in each account, in the same order. */
  heldOf(parts: readonly LedgerPart[]): Promise<bigint[]>;
  /** Deletes all buckets of a rolling window in one step, unless one is in the window `since` or later. */
  forgetRolling(account: AccountKey, since: number): Promise<void>;
  /**
   * Passes `conclude` the amounts that other decisions hold in each account, in the order of the reservations, and
   * writes the decision and its reservations, in one atomic step. If `conclude` throws, rejects with that error and
   * writes nothing. May call it twice, with different amounts, if another write of the same commit fails.
   *
   * @returns undefined, with nothing written, if `ledgerVersion` or the settings have changed since the facts were
   *   read, or if `conclude` returns undefined
   */
  decideAndReserve(
    facts: LedgerFacts,
    conclude: (held: readonly bigint[]) => CommitPlan | undefined,
  ): Promise<DecisionRecord | undefined>;
  /**
   * Holds the reservations while `run` lasts, for an action that is recorded only at its end: other decisions count
   * them. The hold lasts from the call of `check`, which throws if the amount is not free besides existing holds, until
   * `run` ends or, if the process ends first, until the store opens again. Other engines end the holds of an engine
   * that they take for dead, so `run` may only rely on what it saves under its holds.
   *
   * @returns the result of `run`; undefined, without running it, if `ledgerVersion` has changed
   */
  withHold<T>(
    facts: LedgerFacts,
    check: (held: readonly bigint[]) => void,
    run: (holds: Holds) => Promise<T>,
  ): Promise<T | undefined>;
  /** Writes a decision without reservations, and its policy. */
  appendDecision(decision: DecisionDraft, revision?: PolicyRevision): Promise<DecisionRecord>;
}
