/** The deepest re-org that is detected, in blocks. Deeper blocks are considered final. */
export const REORG_BLOCKS = 12;
