import type { Change, EntryKind } from '../../core/log/entry.ts';
import type { CallerInfo } from '../base/caller.ts';

/** An entry of the log, as it is stored. */
export interface LogLine {
  /** From 0 on. */
  readonly entry: number;
  readonly at: number;
  readonly kind: EntryKind;
  /** The line, without the line break: its bytes are a leaf of the tree. */
  readonly text: string;
  /** The leaf hash that was stored with it, hex. */
  readonly hash: string;
}

/** The head of the tree at some size. */
export interface LogHead {
  readonly size: number;
  /** 32 bytes. */
  readonly root: Uint8Array;
}

/** Where the log ends. */
export interface LogEnd {
  /** How many entries it has. */
  readonly size: number;
  /** The leaf hash of the last one, hex, which stands on all before it; empty where there is none. */
  readonly hash: string;
}

/** Where the log of a desk ends. */
export interface DeskLogEnd extends LogEnd {
  readonly deskId: string;
}

/** A signed head. */
export interface LogCheckpoint {
  readonly size: number;
  /** epoch ms */
  readonly at: number;
  /** The signed note. */
  readonly note: string;
}

/** Something that an operator did and that is not in the database, such as a change of the vault. */
export interface OutsideAction extends CallerInfo {
  readonly action: string;
  readonly changes: readonly Change[];
}

/**
 * The log: one entry for everything that was decided, settled or set, in the order of the commits. Part of the store; what
 * the other parts write is entered with it, in one step.
 */
export interface LogStore {
  /** Enters what was decided before there was a log, once. Takes a minute for a million decisions. */
  enterEarlier(): Promise<void>;
  /** Names this desk, until its log goes on from an older state. */
  deskId(): Promise<string>;
  /** Whether the log tells that the desk had this name before. */
  wasCalled(deskId: string): Promise<boolean>;
  /**
   * Goes on from an older state of the log, as the operator wants it: gives the desk another name, and its log another key
   * with it, since heads may be signed that this log does not lead to. An entry tells what was written before.
   */
  acceptRollback(written: DeskLogEnd): Promise<void>;
  /** Enters that the engine runs, before anything else is entered. Only once. */
  logStart(): Promise<void>;
  /** Enters that it ends, where its start is entered. @returns whether it is */
  logStop(): Promise<boolean>;
  /** Enters what operators have changed, where that is not entered yet. */
  logChanges(): Promise<void>;
  logAction(action: OutsideAction): Promise<void>;
  /** How many entries there are. */
  logSize(): Promise<number>;
  /** Entries from one on, so many at most and about 1 MiB of them; of one kind, or of any but decisions. */
  logLines(page: { from: number; to?: number; limit: number }): Promise<LogLine[]>;
  /** The newest entries that are no decisions, the newest first: those before one, of one kind or of any. */
  listLog(page: { before?: number | undefined; kind?: EntryKind | undefined; limit: number }): Promise<LogLine[]>;
  /** The position of a decision's entry; undefined where there is none. */
  entryOfDecision(decisionId: string): Promise<number | undefined>;
  /** The head of the first `size` entries. */
  logHead(size: number): Promise<LogHead>;
  /** The hashes that prove that an entry is among the first `size`. */
  inclusionProof(entry: number, size: number): Promise<Uint8Array[]>;
  /** The hashes that prove that the first `size` entries begin with the first `oldSize`. */
  consistencyProof(oldSize: number, size: number): Promise<Uint8Array[]>;
  /** The roots of the full subtrees of a range, from left to right. */
  subtreeHashes(range: { start: number; end: number }): Promise<Uint8Array[]>;
  saveCheckpoint(checkpoint: LogCheckpoint): Promise<void>;
  /** The checkpoint of the most entries; undefined where there is none. */
  newestCheckpoint(): Promise<LogCheckpoint | undefined>;
  /** Checkpoints, the smallest first. */
  listCheckpoints(page: { after: number; limit: number }): Promise<LogCheckpoint[]>;
}
