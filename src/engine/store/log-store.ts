import type { Change, EntryKind } from '../../core/log/entry.ts';
import type { CallerInfo } from '../base/caller.ts';

export interface LogLine {
  /** Position of the entry, starting at 0. */
  readonly entry: number;
  readonly at: number;
  readonly kind: EntryKind;
  /** The line without its line break. Its bytes are a leaf of the tree. */
  readonly text: string;
  /** Leaf hash stored with it, hex. */
  readonly hash: string;
}

export interface LogHead {
  readonly size: number;
  /** 32 bytes. */
  readonly root: Uint8Array;
}

export interface LogEnd {
  readonly size: number;
  /** Leaf hash of the last entry, hex. It depends on all earlier entries. Empty for an empty log. */
  readonly hash: string;
}

export interface DeskLogEnd extends LogEnd {
  readonly deskId: string;
}

export interface LogCheckpoint {
  readonly size: number;
  /** Epoch ms. */
  readonly at: number;
  readonly note: string;
}

/** An operator's action outside of the database, such as a change to the vault. */
export interface OutsideAction extends CallerInfo {
  readonly action: string;
  readonly changes: readonly Change[];
}

/**
 * The log: one entry for every decision, settlement and change to settings, in commit order. It is part of the store,
 * whose other writes append their entries in the same transaction.
 */
export interface LogStore {
  /** The desk id. It changes when the log continues from an older state. */
  deskId(): Promise<string>;
  /** Whether the log shows that this was the desk id at an earlier time. */
  wasCalled(deskId: string): Promise<boolean>;
  /**
   * Continues from an older state of the log, as the operator requested. The desk id and the log's key change, because
   * signed heads may exist that this log does not extend. An entry records the end that was lost.
   */
  acceptRollback(written: DeskLogEnd): Promise<void>;
  /** Writes the entry for the start of the engine, before any other entry. Call it only once. */
  logStart(): Promise<void>;
  /**
   * Writes the entry for the stop of the engine, if the log contains its start. @returns whether the entry was written
   */
  logStop(): Promise<boolean>;
  /** Writes entries for operators' changes that have none yet. */
  logChanges(): Promise<void>;
  logAction(action: OutsideAction): Promise<void>;
  logSize(): Promise<number>;
  /**
   * Entries from a position on, limited in number and to about 1 MiB: of one kind, or of all kinds except decisions.
   */
  logLines(page: { from: number; to?: number; limit: number }): Promise<LogLine[]>;
  /** The newest entries that are not decisions, newest first, before a position: of one kind, or of any kind. */
  listLog(page: { before?: number | undefined; kind?: EntryKind | undefined; limit: number }): Promise<LogLine[]>;
  /** Position of a decision's entry; undefined if it has none. */
  entryOfDecision(decisionId: string): Promise<number | undefined>;
  /** The head of a tree of the first `size` entries. */
  logHead(size: number): Promise<LogHead>;
  /** Hashes that prove that an entry is among the first `size`. */
  inclusionProof(entry: number, size: number): Promise<Uint8Array[]>;
  /** Hashes that prove that the first `size` entries begin with the first `oldSize`. */
  consistencyProof(oldSize: number, size: number): Promise<Uint8Array[]>;
  /** Roots of the full subtrees of a range, from left to right. */
  subtreeHashes(range: { start: number; end: number }): Promise<Uint8Array[]>;
  saveCheckpoint(checkpoint: LogCheckpoint): Promise<void>;
  /** The checkpoint of the largest size; undefined if none exists. */
  newestCheckpoint(): Promise<LogCheckpoint | undefined>;
  /** Checkpoints, smallest size first. */
  listCheckpoints(page: { after: number; limit: number }): Promise<LogCheckpoint[]>;
}
