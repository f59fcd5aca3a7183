/** The deepest re-org that is noticed, in blocks: what lies deeper is taken to stand for good. */
export const REORG_BLOCKS = 12;
