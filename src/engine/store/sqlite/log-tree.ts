import type Database from 'better-sqlite3';
import { type LeafRange, type Subtree, rangeRoot, subtreesOf } from '../../../core/log/merkle-tree.ts';
import { sha256 } from '../../base/sha256.ts';
import { hashesIn, rootOf, TILE_HASHES, TILE_LEVELS } from '../log-tiles.ts';

interface Tile {
  hashes: Buffer;
  root: Buffer;
}

/** The log's Merkle tree: leaf hashes are stored with their entries, the rest in tiles. */
export const logTree = (database: Database.Database) => {
  const leaves = database
    .prepare<[number, number], Buffer>('SELECT hash FROM log WHERE position >= ? AND position < ? ORDER BY position')
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

  /** Hashes in tiles of `level`: leaves at level 0, roots of the tiles below at higher ones. */
  const hashesAt = (level: number, start: number, count: number): Buffer[] => {
    if (level > 0) return roots.all(level - 1, start, start + count);
    const tile = find.get(0, Math.floor(start / TILE_HASHES));
    if (tile === undefined) return leaves.all(start, start + count);
    return hashesIn(tile.hashes, start, count);
  };

  const hashOf = ({ level, index }: Subtree): Uint8Array => {
    const tileLevel = Math.floor(level / TILE_LEVELS);
    const count = 2 ** (level % TILE_LEVELS);
    return rootOf(hashesAt(tileLevel, index * count, count));
  };

  return {
    /**
     * Stores the tiles that the leaf at `position` completes; runs in the transaction that appends it.
     *
     * @param tileLeaves the leaves of the lowest one, if they are known
     */
    complete(position: number, tileLeaves?: readonly Buffer[]): void {
      let [level, index] = [0, position];
      while ((index + 1) % TILE_HASHES === 0) {
        const tile = (index + 1) / TILE_HASHES - 1;
        const start = tile * TILE_HASHES;
        const end = start + TILE_HASHES;
        const hashes = level > 0 ? roots.all(level - 1, start, end) : (tileLeaves ?? leaves.all(start, end));
        insert.run(level, tile, Buffer.concat(hashes), rootOf(hashes));
        [level, index] = [level + 1, tile];
      }
    },
    root: (range: LeafRange): Uint8Array => rangeRoot(range, hashOf, sha256),
    subtrees: (range: LeafRange): Uint8Array[] => subtreesOf(range).map(hashOf),
  };
};
