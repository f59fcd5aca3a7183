import { rollingKinds } from '../../../core/ledger/account.ts';
import { LOG_SIZE } from '../log-rows.ts';
import type { LogCheckStore } from '../log-check-store.ts';
import type { Reads } from '../rows.ts';

/**
 * SQL for data that is stored in addition to the log. Each statement also reads the size of the log, so that both come
 * from the same snapshot.
 */

const ENTRIES = `${LOG_SIZE} AS "entries"`;

const DECISION_COLUMNS = `SELECT seq, id, at, paymaster_id AS "paymasterId", chain_id AS "chainId", sender, outcome,
  user_op_hash AS "userOpHash", valid_until AS "validUntil", rule, settlement, actual_cost_wei AS "actualCostWei",
  settled_block AS "block", record, ${ENTRIES} FROM decision
  WHERE seq > $1 ORDER BY seq LIMIT $2`;

const POLICY_CHANGES = `SELECT paymaster_id AS "paymasterId", hash, ${ENTRIES} FROM policy_history ORDER BY seq`;

const REVISION_TEXTS = `SELECT hash, policy, ${ENTRIES} FROM policy_revision WHERE hash > $1 ORDER BY hash LIMIT $2`;

/**
 * Amounts of accounts that are not rolling windows. A first row without an account contains the size of the log, even
 * if no other row exists.
 */
export const HELD_ACCOUNTS = `SELECT NULL AS kind, '' AS id, 0 AS "window", '' AS "user", '0' AS held, ${ENTRIES}
  UNION ALL SELECT kind, id, "window", "user", held, ${ENTRIES} FROM ledger_account
  WHERE held <> '0' AND kind NOT IN (${rollingKinds.map((kind) => `'${kind}'`).join(', ')})`;

const TILES = 'SELECT tile, hashes, root FROM log_tile WHERE level = $1 AND tile >= $2 ORDER BY tile LIMIT $3';

const LEAF_HASHES = 'SELECT hash FROM log WHERE position >= $1 AND position < $2 ORDER BY position';

export const logCheckStore = (rows: Reads): LogCheckStore => ({
  decisionColumns: ({ after, limit }) => rows.all(DECISION_COLUMNS, [after, limit]),
  policyChanges: () => rows.all(POLICY_CHANGES),
  heldAccounts: () => rows.all(HELD_ACCOUNTS),
  revisionTexts: ({ after, limit }) => rows.all(REVISION_TEXTS, [after, limit]),
  tiles: ({ level, from, limit }) => rows.all(TILES, [level, from, limit]),
  async leafHashes({ start, end }) {
    return (await rows.all<{ hash: Buffer }>(LEAF_HASHES, [start, end])).map(({ hash }) => hash);
  },
});
