import { encodeBase64, hexlify } from 'ethers';
import { type TreeHead, openCheckpoint, readCheckpoint } from './checkpoint.ts';
import type { AddFault, ReportedHead } from './log-report.ts';
import { CompactTree, type Subtree, subtreesOf } from './merkle-tree.ts';
import type { LogCrypto, VerifierKey } from './signed-note.ts';

export interface TreeCheckOptions {
  readonly key: VerifierKey;
  readonly crypto: LogCrypto;
  /** The position of the first entry. */
  readonly from?: number;
  /** The roots of the full subtrees before it. */
  readonly before?: readonly Uint8Array[];
  /** An earlier checkpoint that the log must continue. */
  readonly since?: string;
}

const reported = ({ origin, size, root }: TreeHead): ReportedHead => ({ origin, size, root: encodeBase64(root) });

/** Builds the tree of a log, and compares it with its checkpoints. */
export class TreeCheck {
  readonly #options: TreeCheckOptions;
  readonly #addFault: AddFault;
  readonly #tree: CompactTree;
  readonly #since: TreeHead | undefined;
  #isContinued = false;
  #verified: TreeHead | null = null;
  #isWrong = false;

  constructor(options: TreeCheckOptions, addFault: AddFault) {
    const { from = 0, before = [], crypto, since } = options;
    this.#options = options;
    this.#addFault = addFault;
    this.#tree = new CompactTree(crypto.sha256);
    const subtrees = subtreesOf({ start: 0, end: from });
    if (subtrees.length !== before.length) {
      const detail = `The part begins at entry ${from}, which takes ${subtrees.length} roots of the entries before it, and has ${before.length}`;
      addFault('HEAD_DIFFERS', detail, null);
    }
    this.#appendAll(subtrees, before);
    this.#since = since === undefined ? undefined : this.#openSince(since);
    this.#compareSince();
  }

  /** Number of entries, including those known only by their subtrees. */
  get size(): number {
    return this.#tree.size;
  }

  /** Number of entries that the newest matching checkpoint covers; 0 if no checkpoint matches. */
  get signedSize(): number {
    return this.#verified?.size ?? 0;
  }

  /** The heads that match the tree. */
  get heads(): { readonly checkpoint: ReportedHead | null; readonly since: ReportedHead | null } {
    return {
      checkpoint: this.#verified && reported(this.#verified),
      since: this.#since !== undefined && this.#isContinued ? reported(this.#since) : null,
    };
  }

  #openSince(note: string): TreeHead | undefined {
    const opened = openCheckpoint(note, this.#options.key, this.#options.crypto);
    if ('head' in opened) return opened.head;
    this.#addFault('NOT_CONTINUED', `The earlier checkpoint cannot be trusted. ${opened.error}`, null);
    return undefined;
  }

  /** Compares the tree with the earlier head, if the head has the same number of entries. */
  #compareSince(): void {
    if (this.#since?.size !== this.#tree.size) return;
    this.#isContinued = hexlify(this.#since.root) === hexlify(this.#tree.root());
    if (this.#isContinued) return;
    const detail = `The first ${this.#since.size} entries are not those that the earlier checkpoint covers`;
    this.#addFault('NOT_CONTINUED', detail, null);
  }

  #appendAll(subtrees: readonly Subtree[], hashes: readonly Uint8Array[]): void {
    for (const [index, subtree] of subtrees.entries()) {
      const hash = hashes[index];
      if (hash !== undefined) this.#tree.appendSubtree({ ...subtree, hash });
    }
  }

  /** Adds the leaf hash of the next entry. */
  append(leaf: Uint8Array): void {
    this.#tree.append(leaf);
    this.#compareSince();
  }

  /** Adds the roots of the full subtrees after the last entry, up to the size of a checkpoint. */
  appendAfter(checkpoint: string, after: readonly Uint8Array[]): void {
    const size = readCheckpoint(checkpoint)?.size ?? this.#tree.size;
    const missing = size > this.#tree.size ? subtreesOf({ start: this.#tree.size, end: size }) : [];
    if (missing.length !== after.length || missing.length === 0) return;
    this.#appendAll(missing, after);
    this.#compareSince();
  }

  /**
   * Compares the tree with a checkpoint of the same number of entries. Reports only the first difference, because all
   * later checkpoints differ, too.
   */
  compareCheckpoint(note: string): void {
    if (this.#isWrong) return;
    const opened = openCheckpoint(note, this.#options.key, this.#options.crypto);
    if ('error' in opened) {
      this.#addFault('CHECKPOINT_UNTRUSTED', opened.error, null);
      return;
    }
    const { head } = opened;
    const last = Math.max(0, this.#tree.size - 1);
    if (head.size > this.#tree.size) {
      const detail = `The log is cut off: the checkpoint covers ${head.size} entries, and there are ${this.#tree.size}`;
      this.#addFault('INCOMPLETE', detail, this.#tree.size);
    } else if (head.size < this.#tree.size || hexlify(head.root) !== hexlify(this.#tree.root())) {
      const detail = `The entries from ${this.signedSize} to ${last} are not those that the checkpoint of ${head.size} entries covers`;
      this.#addFault('CHECKPOINT_DIFFERS', detail, last);
      this.#isWrong = true;
    } else this.#verified = head;
  }

  /** Says why the log, whose entries end before `end`, does not show that it continues the earlier checkpoint. */
  checkContinued(end: number): void {
    const { from = 0 } = this.#options;
    if (this.#since === undefined || this.#isContinued) return;
    const { size } = this.#since;
    if (size > this.#tree.size) {
      const detail = `The earlier checkpoint covers ${size} entries, and the log has ${this.#tree.size}`;
      this.#addFault('NOT_CONTINUED', detail, null);
    } else if (size < from || size > end) {
      const detail = `The earlier checkpoint covers ${size} entries, so a part from ${from} to ${end} does not show whether the log continues it`;
      this.#addFault('NOT_CONTINUED', detail, null);
    }
  }
}
