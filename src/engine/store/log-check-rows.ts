import { rollingKinds } from '../../core/ledger/account.ts';

/** SQL of what is kept beside the log, in one statement each with the log's size: a snapshot. */

const ENTRIES = '(SELECT coalesce(max(position) + 1, 0) FROM log_entry) AS "entries"';

/** Decisions by what stands in their columns. */
export const DECISION_COLUMNS = `SELECT seq, id, at, paymaster_id AS "paymasterId", chain_id AS "chainId", sender, outcome,
  user_op_hash AS "userOpHash", valid_until AS "validUntil", rule, settlement, actual_cost_wei AS "actualCostWei",
  settled_block AS "block", record, ${ENTRIES} FROM decision`;

/** Changes of what policy is in force. */
export const POLICY_CHANGES = `SELECT paymaster_id AS "paymasterId", hash, ${ENTRIES} FROM policy_history ORDER BY seq`;

/** Texts of policy revisions. */
export const REVISION_TEXTS = `SELECT hash, policy, ${ENTRIES} FROM policy_revision`;

/**
 * What accounts hold that are no parts of rolling windows, behind a row of no account: it tells the log's size where there
 * is no other.
 */
export const HELD_ACCOUNTS = `SELECT NULL AS kind, '' AS id, 0 AS "window", '' AS "user", '0' AS held, ${ENTRIES}
  UNION ALL SELECT kind, id, "window", "user", held, ${ENTRIES} FROM ledger_account
  WHERE held <> '0' AND kind NOT IN (${rollingKinds.map((kind) => `'${kind}'`).join(', ')})`;

/** Tiles of the log's tree. */
export const TILES = 'SELECT tile, hashes, root FROM log_tile';

/** Leaf hashes as they are stored with the entries. */
export const LEAF_HASHES = 'SELECT hash FROM log_entry';
