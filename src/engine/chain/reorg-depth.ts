/** The deepest re-org that is noticed, in blocks: deeper blocks are considered final. */
export const REORG_BLOCKS = 12;
