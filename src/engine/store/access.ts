import type { EntryBody, EntryKind } from '../../core/log/entry.ts';
import type { DecisionRecord } from '../../shared/schema/decision.ts';
import type { Soon } from '../base/soon.ts';
import { EngineError, type ErrorCode } from '../../shared/errors.ts';
import type { DecisionDraft, LedgerPart } from './decision-store.ts';
import type { PolicyRevision, SettingsScope } from './policy-store.ts';
import type { StoredReservation } from './reserves.ts';
import type { Rows, StepRows, Steps } from './rows.ts';
import type { ChangedScope, SettingsCache } from './settings-cache.ts';
import type { Ledger } from './tables/ledger.ts';

/** Enters events in the log, inside the transactions that cause them. */
export interface LogEntries {
  append<Kind extends EntryKind>(kind: Kind, body: EntryBody<Kind>): void;
  /** Enters that an operation's settlement changed. */
  appendSettlement(seq: number, body: EntryBody<'settlement'>): void;
  /** Enters that the engine runs, unless entered. Called automatically before the first entry. */
  readonly start: () => void;
  readonly isStarted: () => boolean;
}

/** A transaction without any other writer. */
export interface Transaction extends StepRows {
  readonly log: LogEntries;
  /** The accounts that were loaded for this transaction. */
  readonly ledger: Ledger;
  /** See `DecisionStore.ledgerVersion`. */
  readonly ledgerVersion: () => number;
  /** Makes pending decisions read everything again. */
  readonly advanceLedger: () => void;
  settingsVersion(scope: SettingsScope): Steps<number>;
  /** Reports a change to settings in this scope that decisions depend on: pending decisions restart. */
  readonly settingsChanged: (scope: ChangedScope) => void;
  /** Stores a decision, with its policy and its reservations. Statements of the same transaction do not see it yet. */
  append(
    draft: DecisionDraft,
    revision: PolicyRevision | undefined,
    reservations?: readonly StoredReservation[],
  ): Steps<DecisionRecord>;
  /** Puts a policy in force. False if it already is in force. */
  enforce(revision: PolicyRevision, use: Pick<DecisionRecord, 'paymasterId' | 'at'>): Steps<boolean>;
  /** Reports new or changed decisions to their followers. */
  readonly decisionsChanged: () => void;
  /** Enters the next missing hashes in `decision_hash`. False: more may be missing. */
  enterHashes(): Steps<boolean>;
}

/** Expected errors, by the violated unique constraint. Constraints are named by their table and last column. */
export type Clashes = Readonly<Record<string, ErrorCode>>;

/** How tables are read and written, on either database. */
export interface Access {
  readonly rows: Rows;
  readonly cache: SettingsCache;
  /** @returns the result of `steps`, once it is durable; if they throw, everything is undone */
  readonly write: <T>(steps: (tx: Transaction) => Steps<T>, clashes?: Clashes) => Promise<T>;
  /** The same for writes that change no settings: on SQLite they share a commit with decisions. */
  readonly writeShared: <T>(steps: (tx: Transaction) => Steps<T>) => Promise<T>;
  /**
   * The same for a decision. On either database, it shares a commit with other decisions.
   *
   * @param parts the accounts that `steps` uses
   * @param steps must not have written anything when they throw or return undefined
   */
  readonly decide: <T>(parts: readonly LedgerPart[], steps: (tx: Transaction) => Steps<T>) => Promise<T>;
  /**
   * The same for a decision in two parts: `steps` decides and reserves, and returns the second part, which stores the
   * decision. Between the two, other decisions of the same commit are decided. The second part must not change what
   * decisions depend on.
   *
   * @param steps returns undefined if there is nothing to store
   */
  readonly decideInParts: <T>(
    parts: readonly LedgerPart[],
    steps: (tx: Transaction) => Steps<(() => Steps<T>) | undefined>,
  ) => Promise<T | undefined>;
  /** The same if only the log is written. */
  readonly writeLog: <T>(write: (log: LogEntries) => T) => Promise<T>;
  /** Current amounts in the given accounts of the ledger, in the same order. */
  readonly heldOf: (parts: readonly LedgerPart[]) => Promise<bigint[]>;
  /** Number of the ledger account that was created last; undefined if other engines create accounts, too. */
  readonly newestAccount: () => number | undefined;
  readonly ledgerVersion: () => Soon<number>;
  readonly settingsVersion: (scope: SettingsScope) => Soon<number>;
  /** Completes `decision_hash`, in batches: SQLite stores decisions without entering their hashes there. */
  readonly enterHashes: () => Promise<void>;
}

/** The expected error if `cause` reports that this constraint is violated, else `cause`. */
export const clashOf = (cause: unknown, constraint: string | undefined, clashes: Clashes = {}): unknown => {
  const code = clashes[constraint ?? ''];
  return code === undefined ? cause : new EngineError(code, undefined, {}, { cause });
};
