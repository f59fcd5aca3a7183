import {
  DECISION_COLUMNS,
  HELD_ACCOUNTS,
  LEAF_HASHES,
  POLICY_CHANGES,
  REVISION_TEXTS,
  TILES,
} from '../log-check-rows.ts';
import type { LogCheckStore } from '../log-check-store.ts';
import type { Rows } from './rows.ts';

export const logCheckStore = ({ rows }: { readonly rows: Rows }): LogCheckStore => ({
  decisionColumns: ({ after, limit }) =>
    rows.all(`${DECISION_COLUMNS} WHERE seq > $1 ORDER BY seq LIMIT $2`, [after, limit]),
  policyChanges: () => rows.all(POLICY_CHANGES),
  heldAccounts: () => rows.all(HELD_ACCOUNTS),
  revisionTexts: ({ after, limit }) =>
    rows.all(`${REVISION_TEXTS} WHERE hash > $1 ORDER BY hash LIMIT $2`, [after, limit]),
  tiles: ({ level, from, limit }) =>
    rows.all(`${TILES} WHERE level = $1 AND tile >= $2 ORDER BY tile LIMIT $3`, [level, from, limit]),
  async leafHashes({ start, end }) {
    const found = await rows.all<{ hash: Buffer }>(
      `${LEAF_HASHES} WHERE position >= $1 AND position < $2 ORDER BY position`,
      [start, end],
    );
    return found.map(({ hash }) => hash);
  },
});
