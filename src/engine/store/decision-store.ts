import type { NewRecord } from '../../core/decision/stored-record.ts';
import type { AccountKey, Reservation } from '../../core/ledger/account.ts';
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
  /** {@link DecisionStore.ledgerVersion} before the balance of the tank was read. */
  readonly ledgerVersion: number;
  /** {@link PolicyStore.settingsVersion} before the settings were read; undefined if no settings apply. */
  readonly settings?: { readonly scope: SettingsScope; readonly version: number };
}

/** The data to commit, given the current amounts of the accounts in which the decision reserves. */
export interface CommitPlan {
  decision: DecisionDraft;
  reserve: boolean;
  /** Actual reservations, in the same order. Default: the requested amounts. */
  taken?: readonly Reservation[];
  /** Pauses all sponsorship with the decision. An existing pause stays unchanged. */
  pause?: Pause | undefined;
  /** Pauses only the decision's DApp. An existing pause stays unchanged. */
  pauseDapp?: Pause | undefined;
  /** The policy of the decision. It is stored with the first decision that uses it. */
  revision?: PolicyRevision;
}

export interface DecisionStore {
  /**
   * Grows when one of these happens: settlement returns a reserved amount to a tank (a balance read before is then out
   * of date), a withdrawal is recorded or ends, a chain's settings change, or sponsorship resumes.
   */
  ledgerVersion(): Promise<number>;
  /** True if the ledger ever had another account of the same kind and id, for another user. */
  hasOtherAccount(account: AccountKey): Promise<boolean>;
  /** Amounts that all decisions together reserve in each account, in the same order. */
  heldOf(parts: readonly LedgerPart[]): Promise<bigint[]>;
  /** Deletes all buckets of a rolling window in one step, unless one of them is the bucket `since` or a later one. */
  forgetRolling(account: AccountKey, since: number): Promise<void>;
  /**
   * Passes to `conclude` the amounts that other decisions reserve in each account, in the order of the reservations,
   * and writes the decision and its reservations, in one atomic step. If `conclude` throws, rejects with that error and
   * writes nothing. If another write of the same commit fails, `conclude` may be called a second time with different
   * amounts.
   *
   * @returns undefined, with nothing written, if `ledgerVersion` or the settings have changed since the facts were
   * read, or if `conclude` returns undefined
   */
  decideAndReserve(
    facts: LedgerFacts,
    conclude: (held: readonly bigint[]) => CommitPlan | undefined,
  ): Promise<DecisionRecord | undefined>;
  /**
   * Holds the reservations while `run` lasts, so that other decisions count them. Used for an action that is recorded
   * only at its end. The hold lasts from the call of `check`, which must throw if the amount is not free, until `run`
   * ends or, if the process ends first, until the store opens again. Other engines end the holds of an engine that they
   * consider dead. So `run` may rely on a hold only for what it saves together with a check of the hold.
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
