import type { Reads } from '../rows.ts';

/**
 * The positions (`seq`) at which decisions exist. Gaps may have any size: an export of one DApp omits the decisions of
 * others, and a hostile file may contain any positions. Reads in batches skip gaps in this way, so that the number of
 * decisions limits the work.
 */
export const positionsIn = (rows: Reads) => ({
  /** The greatest position up to this one; 0 if none exists. */
  async upTo(seq: number): Promise<number> {
    const found = await rows.get<{ seq: number | null }>('SELECT max(seq) AS seq FROM decision WHERE seq <= $1', [seq]);
    return found?.seq ?? 0;
  },
  /** The smallest position after this one; `Infinity` if none exists. */
  async after(seq: number): Promise<number> {
    const found = await rows.get<{ seq: number | null }>('SELECT min(seq) AS seq FROM decision WHERE seq > $1', [seq]);
    return found?.seq ?? Infinity;
  },
});
