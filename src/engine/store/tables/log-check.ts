import { rollingKinds } from '../../../core/ledger/account.ts';
import { LOG_SIZE } from '../log-rows.ts';
import type { DecisionColumns, HeldAccountRow, HistoryRow, RevisionRow, TileRow } from '../log-check-store.ts';
import type { LeafRange } from '../../../core/log/merkle-tree.ts';
import type { Reads } from '../rows.ts';
import { readHeld, readLimits } from './limit-rows.ts';
import { REVISIONS, isPolicyOf, policiesIn } from './policy-revisions.ts';

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

const REVISION_HASHES = `SELECT hash, ${ENTRIES} FROM policy_revision WHERE hash > $1 ORDER BY hash LIMIT $2`;

/**
 * Amounts of accounts that are not rolling windows. A first row without an account contains the size of the log, even
 * if no other row exists. For the accounts of limits that are stored together, there is a row for each group, and a row
 * for each user of the group.
 */
export const HELD_ACCOUNTS = `SELECT NULL AS kind, '' AS id, 0 AS "window", '' AS "user", '0' AS held, ${ENTRIES}
  UNION ALL SELECT kind, id, "window", "user", held, ${ENTRIES} FROM ledger_account
  WHERE held <> '0' AND kind NOT IN (${rollingKinds.map((kind) => `'${kind}'`).join(', ')})
  UNION ALL SELECT 'group', CAST(group_id AS text), 0, name, limits, ${ENTRIES} FROM limit_group
  UNION ALL SELECT 'row', CAST(group_id AS text), 0, "user", held, ${ENTRIES} FROM limit_row`;

/** A group of limits with its name in `user` and theirs in `held`, or the amounts of a user in the group. */
export type LimitsRow = Omit<HeldAccountRow, 'kind'> & { readonly kind: 'group' | 'row' };

/** The account of a limit. @param name of its {@link LimitPlace} */
const accountOf = (name: string): Pick<HeldAccountRow, 'kind' | 'id' | 'window'> => {
  const end = name.lastIndexOf(':');
  return { kind: 'limit', id: name.slice(0, end), window: Number(name.slice(end + 1)) };
};

interface NamedGroup {
  readonly group: string;
  /** Names of its limits by slot. Of equal names, the engine uses the last one. */
  readonly names: ReadonlyMap<number, string>;
}

const namedGroup = ({ user: group, held }: HeldAccountRow | LimitsRow): NamedGroup => {
  const slots = new Map(readLimits(held).map((name, slot) => [name, slot]));
  return { group, names: new Map([...slots].map(([name, slot]) => [slot, name])) };
};

const accountsInRow = ({ user, held, entries }: LimitsRow, found: NamedGroup | undefined): HeldAccountRow[] => {
  const { group = '', names } = found ?? {};
  return readHeld(held).flatMap((amount, slot) => {
    const account = accountOf(names?.get(slot) ?? `slot ${slot}:0`);
    return amount === 0n ? [] : [{ ...account, user, held: String(amount), entries, group }];
  });
};

/** Replaces the rows that contain several accounts. */
export const singleAccounts = (found: readonly (HeldAccountRow | LimitsRow)[]): HeldAccountRow[] => {
  const groups = new Map(found.flatMap((row) => (row.kind === 'group' ? [[row.id, namedGroup(row)]] : [])));
  return found.flatMap((row): HeldAccountRow[] => {
    if (row.kind === 'group') return [];
    return row.kind === 'row' ? accountsInRow(row, groups.get(row.id)) : [row as HeldAccountRow];
  });
};

const TILES = 'SELECT tile, hashes, root FROM log_tile WHERE level = $1 AND tile >= $2 ORDER BY tile LIMIT $3';

const LEAF_HASHES = 'SELECT hash FROM log WHERE position >= $1 AND position < $2 ORDER BY position';

export interface Page<Position> {
  readonly after: Position;
  readonly limit: number;
}

/** Data that the database stores in addition to the log, and that must match its entries. */
export const logCheckStore = (rows: Reads) => ({
  /** The decisions after a `seq`, in order. */
  decisionColumns: ({ after, limit }: Page<number>) => rows.all<DecisionColumns>(DECISION_COLUMNS, [after, limit]),
  /** Each policy that came into force, in order. */
  policyChanges: () => rows.all<HistoryRow>(POLICY_CHANGES),
  /** The amounts in all ledger accounts except rolling windows. The first row contains only `entries`. */
  heldAccounts: async () => singleAccounts(await rows.all<HeldAccountRow | LimitsRow>(HELD_ACCOUNTS)),
  /** Revisions ordered by hash, after a given hash. */
  async checkedRevisions({ after, limit }: Page<string>): Promise<RevisionRow[]> {
    const found = await rows.all<Omit<RevisionRow, 'isSound'>>(REVISION_HASHES, [after, limit]);
    const read = policiesIn(await rows.all(REVISIONS, [found.map(({ hash }) => hash)]));
    return found.map((row) => ({ ...row, isSound: isPolicyOf(row.hash, read) }));
  },
  /** Tiles of a level, starting with a given tile. */
  tiles: ({ level, from, limit }: { level: number; from: number; limit: number }) =>
    rows.all<TileRow>(TILES, [level, from, limit]),
  /** The leaf hashes that the database stores for a range of entries. */
  async leafHashes({ start, end }: LeafRange): Promise<Buffer[]> {
    return (await rows.all<{ hash: Buffer }>(LEAF_HASHES, [start, end])).map(({ hash }) => hash);
  },
});
