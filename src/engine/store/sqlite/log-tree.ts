import type Database from 'better-sqlite3';
import { CompactTree, type LeafRange, type Subtree, rangeRoot, subtreesOf } from '../../../core/log/merkle-tree.ts';
import { sha256 } from '../../base/sha256.ts';

/** A tile's subtree has this many levels, and 2 to that many hashes (c2sp.org/tlog-tiles). */
const TILE_LEVELS = 8;
const TILE_HASHES = 2 ** TILE_LEVELS;
const HASH_BYTES = 32;

interface Tile {
  hashes: Buffer;
  root: Buffer;
}

const rootOf = (hashes: readonly Uint8Array[]): Uint8Array => {
  const tree = new CompactTree(sha256);
  for (const hash of hashes) tree.append(hash);
  return tree.root();
};

/** The log's Merkle tree in SQLite: leaf hashes stand with their entries, the rest in tiles. */
export const logTree = (database: Database.Database) => {
  const leaves = database
    .prepare<[number, number], Buffer>(
      'SELECT hash FROM log_entry WHERE position >= ? AND position < ? ORDER BY position',
    )
    .pluck();
  const roots = database
    .prepare<[number, number, number], Buffer>(
      'SELECT root FROM log_tile WHERE level = ? AND tile >= ? AND tile < ? ORDER BY tile',
    )
    .pluck();
  const find = database.prepare<[number, number], Tile>(
    'SELECT hashes, root FROM log_tile WHERE level = ? AND tile = ?',
  );
  const insert = database.prepare<[number, number, Buffer, Uint8Array]>('INSERT INTO log_tile VALUES (?, ?, ?, ?)');

  /** Hashes of the level at which tiles of `level` have theirs: leaves at 0, roots of the tiles below above it. */
  const hashesAt = (level: number, start: number, count: number): Buffer[] => {
    if (level > 0) return roots.all(level - 1, start, start + count);
    const tile = find.get(0, Math.floor(start / TILE_HASHES));
    if (tile === undefined) return leaves.all(start, start + count);
    const from = (start % TILE_HASHES) * HASH_BYTES;
    return Array.from({ length: count }, (_, index) =>
      tile.hashes.subarray(from + index * HASH_BYTES, from + (index + 1) * HASH_BYTES),
    );
  };

  const hashOf = ({ level, index }: Subtree): Uint8Array => {
    const tileLevel = Math.floor(level / TILE_LEVELS);
    const count = 2 ** (level % TILE_LEVELS);
    return rootOf(hashesAt(tileLevel, index * count, count));
  };

  return {
    /** Stores the tiles that the leaf at `position` completes; runs inside the transaction that appends it. */
    complete(position: number): void {
      let [level, index] = [0, position];
      while ((index + 1) % TILE_HASHES === 0) {
        const tile = (index + 1) / TILE_HASHES - 1;
        const start = tile * TILE_HASHES;
        const hashes =
          level === 0 ? leaves.all(start, start + TILE_HASHES) : roots.all(level - 1, start, start + TILE_HASHES);
        insert.run(level, tile, Buffer.concat(hashes), rootOf(hashes));
        [level, index] = [level + 1, tile];
      }
    },
    root: (range: LeafRange): Uint8Array => rangeRoot(range, hashOf, sha256),
    subtrees: (range: LeafRange): Uint8Array[] => subtreesOf(range).map(hashOf),
  };
};
