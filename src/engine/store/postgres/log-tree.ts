import { type LeafRange, type Subtree, rangeRoot, subtreesOf } from '../../../core/log/merkle-tree.ts';
import { sha256 } from '../../base/sha256.ts';
import { hashesIn, rootOf, TILE_HASHES, TILE_LEVELS } from '../log-tiles.ts';
import type { Rows } from './rows.ts';

const LEAVES = 'SELECT hash FROM log WHERE position >= $1 AND position < $2 ORDER BY position';
const ROOTS = 'SELECT root AS hash FROM log_tile WHERE level = $1 AND tile >= $2 AND tile < $3 ORDER BY tile';
const INSERT = 'INSERT INTO log_tile (level, tile, hashes, root) VALUES ($1, $2, $3, $4)';

const hashesOf = (found: readonly { hash: Buffer }[]): Buffer[] => found.map(({ hash }) => hash);

/** Stores the tiles that new leaves complete; runs in the transaction that appends them. */
export const completeTiles = async (rows: Rows, { from, to }: { from: number; to: number }): Promise<void> => {
  let [first, end] = [from, to];
  for (let level = 0; end >= TILE_HASHES; level += 1) {
    const [firstTile, endTile] = [Math.floor(first / TILE_HASHES), Math.floor(end / TILE_HASHES)];
    if (firstTile === endTile) return;
    for (let tile = firstTile; tile < endTile; tile += 1) {
      const range = [tile * TILE_HASHES, (tile + 1) * TILE_HASHES] as const;
      const found = level === 0 ? rows.all(LEAVES, range) : rows.all(ROOTS, [level - 1, ...range]);
      const hashes = hashesOf(await (found as Promise<{ hash: Buffer }[]>));
      await rows.run(INSERT, [level, tile, Buffer.concat(hashes), rootOf(hashes)]);
    }
    [first, end] = [firstTile, endTile];
  }
};

/** The log's Merkle tree: leaf hashes are stored with their entries, the rest in tiles. */
export const logTree = (rows: Rows) => {
  /** Hashes in tiles of `level`: leaves at level 0, roots of the tiles below at higher ones. */
  const hashesAt = async (level: number, start: number, count: number): Promise<Buffer[]> => {
    if (level > 0) return hashesOf(await rows.all(ROOTS, [level - 1, start, start + count]));
    const tile = await rows.get<{ hashes: Buffer }>('SELECT hashes FROM log_tile WHERE level = 0 AND tile = $1', [
      Math.floor(start / TILE_HASHES),
    ]);
    if (tile === undefined) return hashesOf(await rows.all(LEAVES, [start, start + count]));
    return hashesIn(tile.hashes, start, count);
  };
  const hashOf = async ({ level, index }: Subtree): Promise<Uint8Array> => {
    const count = 2 ** (level % TILE_LEVELS);
    return rootOf(await hashesAt(Math.floor(level / TILE_LEVELS), index * count, count));
  };
  const subtrees = (range: LeafRange): Promise<Uint8Array[]> => Promise.all(subtreesOf(range).map(hashOf));
  return {
    subtrees,
    async root(range: LeafRange): Promise<Uint8Array> {
      const hashes = (await subtrees(range)).values();
      return rangeRoot(range, () => hashes.next().value ?? new Uint8Array(), sha256);
    },
  };
};
