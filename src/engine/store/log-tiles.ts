import { CompactTree } from '../../core/log/merkle-tree.ts';
import { sha256 } from '../base/sha256.ts';

/** Number of levels in a tile's subtree. A full tile contains 256 hashes (c2sp.org/tlog-tiles). */
export const TILE_LEVELS = 8;
export const TILE_HASHES = 2 ** TILE_LEVELS;
const HASH_BYTES = 32;

export const rootOf = (hashes: readonly Uint8Array[]): Uint8Array => {
  const tree = new CompactTree(sha256);
  for (const hash of hashes) tree.append(hash);
  return tree.root();
};

/** Adjacent hashes in a tile of leaves. @param start position of the first leaf in the whole log */
export const hashesIn = (tile: Buffer, start: number, count: number): Buffer[] => {
  const from = (start % TILE_HASHES) * HASH_BYTES;
  return Array.from({ length: count }, (_, index) =>
    tile.subarray(from + index * HASH_BYTES, from + (index + 1) * HASH_BYTES),
  );
};
