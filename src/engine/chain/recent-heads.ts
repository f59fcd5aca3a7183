import type { Block } from './user-operation-events.ts';

/** A node that lags behind may be asked for the state at a block, so the block must be at least this old. */
const BURIED_SECONDS = 30;

/**
 * The heads of the latest polls with a new one, in the order of their numbers. Among those that no re-org can remove, only
 * the newest is kept, so that at most as many are kept as a re-org may remove, and as the last half minute had.
 *
 * @param overlapBlocks the deepest re-org, in blocks
 * @returns `buried`: the one that no re-org can remove, if there is one
 */
export const withHead = (
  heads: readonly Block[],
  head: Block,
  overlapBlocks: number,
): { readonly heads: readonly Block[]; readonly buried: Block | undefined } => {
  // A head that is not below the new one has been removed, or comes from a node that is ahead of the one that answered.
  const below = heads.filter(({ number }) => number < head.number);
  const known = below.findLastIndex(
    ({ number, timestamp }) => head.number - number >= overlapBlocks && head.timestamp - timestamp >= BURIED_SECONDS,
  );
  return { heads: [...below.slice(Math.max(0, known)), head], buried: below[known] };
};
