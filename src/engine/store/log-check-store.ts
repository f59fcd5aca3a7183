import type { AccountKey, AccountKind } from '../../core/ledger/account.ts';
import type { DecisionRecord } from '../../shared/schema/decision.ts';

/** What stands in the columns of a decision, beside its record. */
export interface DecisionColumns
  extends
    Pick<DecisionRecord, 'seq' | 'id' | 'at' | 'paymasterId' | 'chainId' | 'sender' | 'outcome' | 'userOpHash'>,
    Pick<DecisionRecord, 'validUntil' | 'rule' | 'settlement' | 'actualCostWei'> {
  readonly block: number | null;
  /** The record's text. */
  readonly record: string;
  /** How many entries the log had when this was read. */
  readonly entries: number;
}

/** A change of what policy is in force. */
export interface HistoryRow {
  readonly paymasterId: string;
  readonly hash: string;
  /** As {@link DecisionColumns.entries}. */
  readonly entries: number;
}

/** The text of a policy revision. */
export interface RevisionRow {
  readonly hash: string;
  readonly policy: string;
  /** As {@link DecisionColumns.entries}. */
  readonly entries: number;
}

/** What an account of the ledger holds; of a row without a kind only the size counts. */
export interface HeldAccountRow extends Required<Omit<AccountKey, 'kind'>> {
  readonly kind: AccountKind | null;
  /** As text: an amount of any size. */
  readonly held: string;
  /** As {@link DecisionColumns.entries}. */
  readonly entries: number;
}

/** Hashes of the log's tree that are kept side by side, and their root. */
export interface TileRow {
  readonly tile: number;
  readonly hashes: Buffer;
  readonly root: Buffer;
}

/** What is kept beside the entries of the log and has to fit them. */
export interface LogCheckStore {
  /** Decisions in their order, those after a `seq`. */
  decisionColumns(page: { after: number; limit: number }): Promise<DecisionColumns[]>;
  /** Each change of what policy is in force, in order. */
  policyChanges(): Promise<HistoryRow[]>;
  /** What each account holds that is no part of a rolling window, behind a row of no account. */
  heldAccounts(): Promise<HeldAccountRow[]>;
  /** Policy revisions in the order of their names, those after one. */
  revisionTexts(page: { after: string; limit: number }): Promise<RevisionRow[]>;
  /** Tiles of a level, from one on. */
  tiles(page: { level: number; from: number; limit: number }): Promise<TileRow[]>;
  /** The leaf hashes that are stored with the entries of a range. */
  leafHashes(range: { start: number; end: number }): Promise<Buffer[]>;
}
