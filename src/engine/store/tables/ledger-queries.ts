import type { AccountKey, LimitPlace } from '../../../core/ledger/account.ts';
import type { OutstandingReservations, RollingHoldings, WindowUsers } from '../decision-queries.ts';
import { reservedInTank } from '../reserves.ts';
import type { Access } from '../access.ts';
import { turn } from '../rows.ts';
import { readHeld, readLimits } from './limit-rows.ts';

/** Rows per read. */
const STRETCH = 5_000;

/** Amounts of limits per read. A row contains the amounts of a user for many limits. */
const AMOUNTS_PER_READ = 20_000;

const PARTS = 'SELECT "window", held FROM ledger_account WHERE kind = $1 AND id = $2 ORDER BY "window"';
const NEWEST = 'SELECT max("window") AS newest FROM ledger_account WHERE kind = $1 AND id = $2';
const FORGET = 'DELETE FROM ledger_account WHERE kind = $1 AND id = $2';

const GROUP = 'SELECT group_id, limits FROM limit_group WHERE name = $1';
const USERS = `SELECT "user", held FROM limit_row WHERE group_id = $1 AND "user" > $2 ORDER BY "user" LIMIT $3`;

const RESERVED = `SELECT seq, paymaster_id AS "paymasterId", reserves FROM decision
  WHERE chain_id = $1 AND settlement = 'reserved' AND seq > $2 ORDER BY seq LIMIT $3`;

interface ReservedRow {
  readonly seq: number;
  readonly paymasterId: string;
  readonly reserves: string | null;
}

export interface WindowQuery {
  /** Of the limit in that window. */
  readonly place: LimitPlace;
  readonly threshold: bigint;
  readonly most: number;
}

const nobody = (): WindowUsers => ({ users: 0, atLimit: 0, nearest: [] });

/** Counts users with their amounts by slot. */
const addUsers = (
  result: WindowUsers,
  { threshold, most }: WindowQuery,
  users: readonly { readonly user: string; readonly held: readonly bigint[] }[],
  slot = -1,
): void => {
  const used = users.map(({ user, held }) => ({ user, used: held[slot] ?? 0n })).filter((one) => one.used > 0n);
  result.users += used.length;
  result.atLimit += used.filter((one) => one.used >= threshold).length;
  result.nearest = [...result.nearest, ...used]
    .sort((a, b) => Number(b.used > a.used) - Number(b.used < a.used))
    .slice(0, most);
};

/** Accounts that count together are adjacent. */
export const ledgerQueries = ({ rows, writeShared }: Access) => ({
  /** Sum of a rolling window's buckets; the window of the account is ignored. Undefined if no bucket exists. */
  async rollingHoldings({ kind, id }: AccountKey): Promise<RollingHoldings | undefined> {
    const all = await rows.all<{ window: number; held: string }>(PARTS, [kind, id]);
    const [first] = all;
    return first && { first: first.window, held: all.reduce((sum, { held }) => sum + BigInt(held), 0n) };
  },
  /** Deletes all buckets of a rolling window in one step, unless one of them is the bucket `since` or a later one. */
  async forgetRolling({ kind, id }: AccountKey, since: number): Promise<void> {
    const isOver = (found: { newest: number | null } | undefined): boolean => (found?.newest ?? since) < since;
    if (!isOver(await rows.get(NEWEST, [kind, id]))) return;
    await writeShared(function* (tx) {
      if (!isOver(yield* tx.get(NEWEST, [kind, id]))) return;
      yield* tx.run(FORGET, [kind, id]);
      tx.log.append('reset', { kind, id });
    });
  },
  /**
   * How close the users of limits are to the thresholds, each in the window of its account. Reads each row of users once
   * for all limits: it contains the amounts of all of them.
   */
  async windowUsers(queries: readonly WindowQuery[]): Promise<WindowUsers[]> {
    const counts = queries.map((query) => ({ query, result: nobody() }));
    for (const [name, inGroup] of Map.groupBy(counts, ({ query }) => query.place.group)) {
      const group = await rows.get<{ groupId: number; limits: string }>(GROUP, [name]);
      if (group === undefined) continue;
      const slots = new Map(readLimits(group.limits).map((limit, slot) => [limit, slot]));
      const stretch = Math.ceil(AMOUNTS_PER_READ / slots.size);
      for (let after = ''; ;) {
        const found = await rows.all<{ user: string; held: string }>(USERS, [group.groupId, after, stretch]);
        const users = found.map(({ user, held }) => ({ user, held: readHeld(held) }));
        for (const { query, result } of inGroup) addUsers(result, query, users, slots.get(query.place.name));
        const last = found.at(-1);
        if (last === undefined || found.length < stretch) break;
        after = last.user;
        await turn();
      }
    }
    return counts.map(({ result }) => result);
  },
  /** Outstanding reservations by DApp. DApps without reservations are omitted. */
  async outstandingReservations(): Promise<OutstandingReservations[]> {
    const byDapp = new Map<string, OutstandingReservations>();
    for (const { chainId } of await rows.all<{ chainId: number }>('SELECT DISTINCT chain_id FROM watched_paymaster')) {
      for (let after = 0; ;) {
        const found = await rows.all<ReservedRow>(RESERVED, [chainId, after, STRETCH]);
        for (const { paymasterId, reserves } of found) {
          const open = byDapp.get(paymasterId) ?? { paymasterId, chainId, reservedWei: 0n, operations: 0 };
          open.reservedWei += reservedInTank(reserves);
          open.operations += 1;
          byDapp.set(paymasterId, open);
        }
        const last = found.at(-1);
        if (last === undefined || found.length < STRETCH) break;
        after = last.seq;
        await turn();
      }
    }
    return [...byDapp.values()];
  },
});
