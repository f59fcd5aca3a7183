import type { AccountKey, AccountKind } from '../../core/ledger/account.ts';
import type { DecisionRecord } from '../../shared/schema/decision.ts';

/** A decision's columns, besides its record. */
export interface DecisionColumns
  extends
    Pick<DecisionRecord, 'seq' | 'id' | 'at' | 'paymasterId' | 'chainId' | 'sender' | 'outcome' | 'userOpHash'>,
    Pick<DecisionRecord, 'validUntil' | 'rule' | 'settlement' | 'actualCostWei'> {
  readonly block: number | null;
  /** The record as JSON text. */
  readonly record: string;
  /** Number of log entries when this was read. */
  readonly entries: number;
}

export interface HistoryRow {
  readonly paymasterId: string;
  readonly hash: string;
  /** Number of log entries when this was read. */
  readonly entries: number;
}

export interface RevisionRow {
  readonly hash: string;
  readonly policy: string;
  /** Number of log entries when this was read. */
  readonly entries: number;
}

/** A ledger account's amount. In a row without a kind, only `entries` matters. */
export interface HeldAccountRow extends Required<Omit<AccountKey, 'kind'>> {
  readonly kind: AccountKind | null;
  /** Text, for amounts of any size. */
  readonly held: string;
  /** Number of log entries when this was read. */
  readonly entries: number;
}

/** Adjacent hashes of the log's tree, and their root. */
export interface TileRow {
  readonly tile: number;
  readonly hashes: Buffer;
  readonly root: Buffer;
}

/** Data next to the log's entries that must match them. */
export interface LogCheckStore {
  /** The decisions after a `seq`, in order. */
  decisionColumns(page: { after: number; limit: number }): Promise<DecisionColumns[]>;
  /** Each policy that was put in force, in order. */
  policyChanges(): Promise<HistoryRow[]>;
  /** Amounts of accounts that are not rolling windows, after a row without an account. */
  heldAccounts(): Promise<HeldAccountRow[]>;
  /** Ordered by hash, after a given one. */
  revisionTexts(page: { after: string; limit: number }): Promise<RevisionRow[]>;
  /** Tiles of a level, from one on. */
  tiles(page: { level: number; from: number; limit: number }): Promise<TileRow[]>;
  /** The leaf hashes that the database stores for a range of entries. */
  leafHashes(range: { start: number; end: number }): Promise<Buffer[]>;
}
