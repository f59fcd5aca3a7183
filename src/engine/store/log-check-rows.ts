import { rollingKinds } from '../../core/ledger/account.ts';
import { LOG_SIZE } from './log-rows.ts';

/** SQL for data next to the log. Each statement also reads the log's size, for a consistent snapshot. */

const ENTRIES = `${LOG_SIZE} AS "entries"`;

export const DECISION_COLUMNS = `SELECT seq, id, at, paymaster_id AS "paymasterId", chain_id AS "chainId", sender, outcome,
  user_op_hash AS "userOpHash", valid_until AS "validUntil", rule, settlement, actual_cost_wei AS "actualCostWei",
  settled_block AS "block", record, ${ENTRIES} FROM decision`;

export const POLICY_CHANGES = `SELECT paymaster_id AS "paymasterId", hash, ${ENTRIES} FROM policy_history ORDER BY seq`;

export const REVISION_TEXTS = `SELECT hash, policy, ${ENTRIES} FROM policy_revision`;

/**
 * Amounts of accounts that are not rolling windows. A first row without an account gives the log's size even if no
 * other row exists.
 */
export const HELD_ACCOUNTS = `SELECT NULL AS kind, '' AS id, 0 AS "window", '' AS "user", '0' AS held, ${ENTRIES}
  UNION ALL SELECT kind, id, "window", "user", held, ${ENTRIES} FROM ledger_account
  WHERE held <> '0' AND kind NOT IN (${rollingKinds.map((kind) => `'${kind}'`).join(', ')})`;

export const TILES = 'SELECT tile, hashes, root FROM log_tile';

export const LEAF_HASHES = 'SELECT hash FROM log';
