import { LAST_USE_STEP_MS } from '../registry-store.ts';
import type { Rows } from './rows.ts';

/**
 * Stores when something was last used, at most once per {@link LAST_USE_STEP_MS}. Nothing depends on it, so concurrent
 * requests need not wait for each other, unlike other writes. `what`: its table, and the column that identifies it.
 */
export const createLastUses = (
  rows: Rows,
  what: { readonly table: string; readonly key: string },
): ((name: string, at: number) => Promise<void>) => {
  const USE = `UPDATE ${what.table}
    SET last_used_at = CASE WHEN last_used_at > $2::bigint - ${LAST_USE_STEP_MS} THEN last_used_at ELSE $2 END
    WHERE ${what.key} = $1 RETURNING last_used_at AS "lastUsedAt"`;
  const known = new Map<string, number>();
  return async (name, at) => {
    const last = known.get(name);
    if (last !== undefined && at < last + LAST_USE_STEP_MS) return;
    known.set(name, at);
    try {
      const row = await rows.get<{ lastUsedAt: number }>(USE, [name, at]);
      if (row === undefined) known.delete(name);
      // Another engine may have recorded a use shortly before.
      else known.set(name, row.lastUsedAt);
    } catch (error) {
      known.delete(name);
      throw error;
    }
  };
};
