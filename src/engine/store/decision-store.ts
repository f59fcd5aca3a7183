import type { AccountKey, Reservation } from '../../core/ledger/account.ts';
import type { DecisionRecord } from '../../shared/schema/decision.ts';
import type { Pause, PolicyRevision, SettingsScope } from './policy-store.ts';

/** An account of the ledger, or with `since` those parts of its rolling window that count together from there on. */
export type LedgerPart = Pick<Reservation, 'account' | 'since'>;

/** A decision about to be stored; the store gives it its `seq`. */
export type DecisionDraft = Omit<DecisionRecord, 'seq'>;

/** The numbers under which something is set aside. */
export type Holds = readonly number[];

/** What a decision stands on when it is written. */
export interface LedgerFacts {
  readonly reservations: readonly Reservation[];
  /** {@link DecisionStore.ledgerVersion} before the balance of the tank was read. */
  readonly ledgerVersion: number;
  /** {@link PolicyStore.settingsVersion} before the settings were read; undefined where none decide. */
  readonly settings?: { readonly scope: SettingsScope; readonly version: number };
}

/** How a decision ends, given what the accounts it reserves in hold at that moment. */
export interface CommitPlan {
  decision: DecisionDraft;
  /** True to reserve together with the decision. */
  reserve: boolean;
  /** What is reserved, in the same order. Default: the amounts that were asked for. */
  taken?: readonly Reservation[];
  /** Pauses all sponsorship with the decision. A pause that there is already stays as it is. */
  pause?: Pause | undefined;
  /** Likewise pauses the decision's DApp alone. */
  pauseDapp?: Pause | undefined;
  /** The policy by which it was decided; kept with the first decision by it. */
  revision?: PolicyRevision;
}

/** Deciding and reserving: what every request waits for. */
export interface DecisionStore {
  /**
   * Grows whenever settlement gives back what a tank had reserved (a balance read before it is out of date then), a
   * withdrawal is recorded or ends, a chain's settings change, or sponsorship is resumed.
   */
  ledgerVersion(): Promise<number>;
  /** True if the ledger has had another account of the same kind and id, besides this user's. */
  hasOtherAccount(account: AccountKey): Promise<boolean>;
  /** What all decisions together hold of each account, in their order. */
  heldOf(parts: readonly LedgerPart[]): Promise<bigint[]>;
  /** Forgets all parts of a rolling window in one step, unless one is of the window `since` or later. */
  forgetRolling(account: AccountKey, since: number): Promise<void>;
  /**
   * One atomic step: hands `conclude` what other decisions hold of each account, in the order of the reservations,
   * and writes the decision and its reservations. Nothing else touches these accounts in between. What `conclude`
   * throws rejects the promise, with nothing written. It may be called twice, with other holdings: where another write of
   * the same commit failed.
   *
   * @returns undefined, with nothing written, if `ledgerVersion` or the settings are no longer what they were when the facts
   *   were read, or where `conclude` answers undefined
   */
  decideAndReserve(
    facts: LedgerFacts,
    conclude: (held: readonly bigint[]) => CommitPlan | undefined,
  ): Promise<DecisionRecord | undefined>;
  /**
   * Holds what is to be reserved while `run` lasts, for what is recorded only when it is done: the others see it as
   * held. It is held from the moment `check` was asked, which throws if it cannot be had besides what is held already,
   * until `run` is done or, where the process ends before, the store is opened again. Where other engines take this one for
   * gone, they end it: what `run` does must not count on it, but for what is saved under the holds it is given.
   *
   * @returns what `run` answers; undefined, with nothing run, if `ledgerVersion` is no longer what it was
   */
  withHold<T>(
    facts: LedgerFacts,
    check: (held: readonly bigint[]) => void,
    run: (holds: Holds) => Promise<T>,
  ): Promise<T | undefined>;
  /** Writes a decision that reserves nothing, and the policy by which it was decided. */
  appendDecision(decision: DecisionDraft, revision?: PolicyRevision): Promise<DecisionRecord>;
}
