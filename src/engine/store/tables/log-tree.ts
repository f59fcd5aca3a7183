import { type LeafRange, type Subtree, rangeRoot, subtreesOf } from '../../../core/log/merkle-tree.ts';
import { sha256 } from '../../base/sha256.ts';
import { hashesIn, rootOf, TILE_HASHES, TILE_LEVELS } from '../log-tiles.ts';
import type { Reads, StepRows, Steps } from '../rows.ts';

const LEAVES = 'SELECT hash FROM log WHERE position >= $1 AND position < $2 ORDER BY position';
const ROOTS = 'SELECT root AS hash FROM log_tile WHERE level = $1 AND tile >= $2 AND tile < $3 ORDER BY tile';
const TILE = 'SELECT hashes FROM log_tile WHERE level = 0 AND tile = $1';

interface HashRow {
  readonly hash: Buffer;
}

const hashesOf = (found: readonly HashRow[]): Buffer[] => found.map(({ hash }) => hash);

/**
 * Stores the tiles that new leaves complete. Must run in the transaction that appends the leaves.
 *
 * @param leaves those of the only tile of the lowest level, if they are known
 */
export const completeTiles = function* (
  tx: StepRows,
  { from, to }: { readonly from: number; readonly to: number },
  leaves?: readonly Buffer[],
): Steps<void> {
  let [first, end] = [from, to];
  for (let level = 0; end >= TILE_HASHES; level += 1) {
    const [firstTile, endTile] = [Math.floor(first / TILE_HASHES), Math.floor(end / TILE_HASHES)];
    if (firstTile === endTile) return;
    for (let tile = firstTile; tile < endTile; tile += 1) {
      const range = [tile * TILE_HASHES, (tile + 1) * TILE_HASHES] as const;
      const read = (): Steps<HashRow[]> => (level === 0 ? tx.all(LEAVES, range) : tx.all(ROOTS, [level - 1, ...range]));
      const hashes = level === 0 && leaves !== undefined ? leaves : hashesOf(yield* read());
      const [joined, root] = [Buffer.concat(hashes), rootOf(hashes)];
      yield* tx.insert('log_tile', 'level, tile, hashes, root', { level, tile, hashes: joined, root });
    }
    [first, end] = [firstTile, endTile];
  }
};

/** The log's Merkle tree: leaf hashes are stored with their entries, the rest in tiles. */
export const logTree = (rows: Reads) => {
  /** Hashes in tiles of `level`: leaf hashes at level 0, and the roots of the tiles below at higher levels. */
  const hashesAt = async (level: number, start: number, count: number): Promise<Buffer[]> => {
    if (level > 0) return hashesOf(await rows.all(ROOTS, [level - 1, start, start + count]));
    const tile = await rows.get<{ hashes: Buffer }>(TILE, [Math.floor(start / TILE_HASHES)]);
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
    root: async (range: LeafRange): Promise<Uint8Array> => {
      const hashes = (await subtrees(range)).values();
      return rangeRoot(range, () => hashes.next().value ?? new Uint8Array(), sha256);
    },
  };
};
