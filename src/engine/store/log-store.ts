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
