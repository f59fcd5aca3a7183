/** SHA-256, as provided by the platform. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

/** A full subtree: it covers the `2^level` leaves from `index · 2^level` on. */
export interface Subtree {
  readonly level: number;
  readonly index: number;
}

/** Leaves from `start` up to, but without, `end`. */
export interface LeafRange {
  readonly start: number;
  readonly end: number;
}

/** Returns the hash of a full subtree; for level 0, that of a leaf. */
export type SubtreeHash = (subtree: Subtree) => Uint8Array;

interface HashedSubtree extends Subtree {
  readonly hash: Uint8Array;
}

const LEAF_PREFIX = 0;
const NODE_PREFIX = 1;

/** The hash of a leaf of these bytes (RFC 9162, 2.1.1). */
export const leafHash = (bytes: Uint8Array, sha256: Sha256): Uint8Array => {
  const prefixed = new Uint8Array(bytes.length + 1);
  prefixed[0] = LEAF_PREFIX;
  prefixed.set(bytes, 1);
  return sha256(prefixed);
};

/** The hash of a node with these two children (RFC 9162, 2.1.1). */
export const nodeHash = (left: Uint8Array, right: Uint8Array, sha256: Sha256): Uint8Array => {
  const prefixed = new Uint8Array(left.length + right.length + 1);
  prefixed[0] = NODE_PREFIX;
  prefixed.set(left, 1);
  prefixed.set(right, left.length + 1);
  return sha256(prefixed);
};

/** The greatest power of two that is smaller than `n`, which is at least 2. */
const splitOf = (n: number): number => {
  let split = 1;
  while (split * 2 < n) split *= 2;
  return split;
};

/** The full subtrees that make up a range of leaves, from left to right, each as large as possible. */
export const subtreesOf = ({ start, end }: LeafRange): Subtree[] => {
  const subtrees: Subtree[] = [];
  let at = start;
  while (at < end) {
    let [level, size] = [0, 1];
    while (at % (size * 2) === 0 && at + size * 2 <= end) [level, size] = [level + 1, size * 2];
    subtrees.push({ level, index: at / size });
    at += size;
  }
  return subtrees;
};

/**
 * The ranges of leaves whose roots prove that a tree of `size` leaves contains the leaf at `index`. The sibling of the
 * leaf comes first (RFC 9162, 2.1.3.1).
 */
export const inclusionRanges = (index: number, size: number): LeafRange[] => {
  const ranges: LeafRange[] = [];
  let [start, end] = [0, size];
  while (end - start > 1) {
    const middle = start + splitOf(end - start);
    if (index < middle) {
      ranges.push({ start: middle, end });
      end = middle;
    } else {
      ranges.push({ start, end: middle });
      start = middle;
    }
  }
  return ranges.reverse();
};

/**
 * The ranges of leaves whose roots prove that a tree of `size` leaves begins with a tree of `oldSize` leaves, which is
 * at least 1 (RFC 9162, 2.1.4.1).
 */
export const consistencyRanges = (oldSize: number, size: number): LeafRange[] => {
  const ranges: LeafRange[] = [];
  let [start, end, isWhole] = [0, size, true];
  while (oldSize < end) {
    const middle = start + splitOf(end - start);
    if (oldSize <= middle) {
      ranges.push({ start: middle, end });
      end = middle;
    } else {
      ranges.push({ start, end: middle });
      [start, isWhole] = [middle, false];
    }
  }
  if (!isWhole) ranges.push({ start, end });
  return ranges.reverse();
};

/** The part of a tree that is needed to append to it: the roots of its full subtrees (a "compact range"). */
export class CompactTree {
  readonly #sha256: Sha256;
  readonly #subtrees: HashedSubtree[] = [];

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
  }

  /** Number of leaves. */
  get size(): number {
    const last = this.#subtrees.at(-1);
    return last === undefined ? 0 : (last.index + 1) * 2 ** last.level;
  }

  /** Adds a leaf by its hash. */
  append(hash: Uint8Array): void {
    this.appendSubtree({ level: 0, index: this.size, hash });
  }

  /** Adds a full subtree, which must begin at the end of the tree. */
  appendSubtree(added: HashedSubtree): void {
    let subtree = added;
    for (;;) {
      const left = this.#subtrees.at(-1);
      if (left?.level !== subtree.level || subtree.index % 2 === 0) break;
      this.#subtrees.pop();
      const { level, index, hash } = subtree;
      subtree = { level: level + 1, index: (index - 1) / 2, hash: nodeHash(left.hash, hash, this.#sha256) };
    }
    this.#subtrees.push(subtree);
  }

  /** The root of all leaves (RFC 9162, 2.1.1). */
  root(): Uint8Array {
    const hashes = this.#subtrees.map(({ hash }) => hash);
    const last = hashes.pop();
    if (last === undefined) return this.#sha256(new Uint8Array());
    return hashes.reduceRight((right, left) => nodeHash(left, right, this.#sha256), last);
  }
}

/** The root of a range of leaves that begins at a multiple of its size, like the ranges in proofs. */
export const rangeRoot = (range: LeafRange, hashOf: SubtreeHash, sha256: Sha256): Uint8Array => {
  const hashes = subtreesOf(range).map(hashOf);
  const last = hashes.pop();
  if (last === undefined) return sha256(new Uint8Array());
  return hashes.reduceRight((right, left) => nodeHash(left, right, sha256), last);
};

const isSame = (one: Uint8Array | undefined, other: Uint8Array): boolean =>
  one?.length === other.length && one.every((byte, index) => byte === other[index]);

/** Whether a proof of inclusion leads from a leaf's hash to the root (RFC 9162, 2.1.3.2). */
export const isIncluded = (
  leaf: { readonly index: number; readonly hash: Uint8Array },
  tree: { readonly size: number; readonly root: Uint8Array },
  proof: readonly Uint8Array[],
  sha256: Sha256,
): boolean => {
  if (leaf.index >= tree.size) return false;
  const ranges = inclusionRanges(leaf.index, tree.size);
  if (proof.length !== ranges.length) return false;
  const root = proof.reduce(
    (hash, sibling, step) =>
      (ranges[step]?.start ?? 0) > leaf.index ? nodeHash(hash, sibling, sha256) : nodeHash(sibling, hash, sha256),
    leaf.hash,
  );
  return isSame(root, tree.root);
};

/** Whether a proof of consistency shows that the newer tree begins with the older tree (RFC 9162, 2.1.4.2). */
export const isConsistent = (
  older: { readonly size: number; readonly root: Uint8Array },
  newer: { readonly size: number; readonly root: Uint8Array },
  proof: readonly Uint8Array[],
  sha256: Sha256,
): boolean => {
  if (older.size > newer.size) return false;
  if (older.size === 0) return proof.length === 0;
  const ranges = consistencyRanges(older.size, newer.size);
  if (proof.length !== ranges.length) return false;
  const [first] = ranges;
  // If the older tree is a full subtree of the newer tree, its root is the first hash of the path.
  const isFirstInOlder = first !== undefined && first.start < older.size;
  const path = proof.slice(isFirstInOlder ? 1 : 0);
  const seed = (isFirstInOlder ? proof[0] : undefined) ?? older.root;
  let [oldRoot, root] = [seed, seed];
  for (const [step, sibling] of path.entries()) {
    const { start = 0 } = ranges[step + (isFirstInOlder ? 1 : 0)] ?? {};
    if (start >= older.size) root = nodeHash(root, sibling, sha256);
    else {
      oldRoot = nodeHash(sibling, oldRoot, sha256);
      root = nodeHash(sibling, root, sha256);
    }
  }
  return isSame(oldRoot, older.root) && isSame(root, newer.root);
};
