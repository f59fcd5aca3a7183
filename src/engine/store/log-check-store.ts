import type { AccountKey, AccountKind } from '../../core/ledger/account.ts';
import type { DecisionRecord } from '../../shared/schema/decision.ts';

/** The columns of a decision other than its record. */
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
  /** Whether its text has this hash. */
  readonly isSound: boolean;
  /** Number of log entries when this was read. */
  readonly entries: number;
}

/** A ledger account's amount. If `kind` is null, the row has no account, and only `entries` is valid. */
export interface HeldAccountRow extends Required<Omit<AccountKey, 'kind' | 'place'>> {
  /** Only for a limit: the `group` of its place. */
  readonly group?: string;
  readonly kind: AccountKind | null;
  /** Text, because the amount may exceed the database's integers. */
  readonly held: string;
  /** Number of log entries when this was read. */
  readonly entries: number;
}

/** Adjacent hashes of the log's tree, and the root above them. */
export interface TileRow {
  readonly tile: number;
  readonly hashes: Buffer;
  readonly root: Buffer;
}
