import type { AccountKey, LimitPlace } from '../../../core/ledger/account.ts';
import type { OutstandingReservations, RollingHoldings, WindowUsers } from '../decision-queries.ts';
import { reservedInTank } from '../reserves.ts';
import type { Access } from '../access.ts';
import { turn } from '../rows.ts';
import { readHeld, readLimits } from './limit-rows.ts';

/** Rows per read. */
const STRETCH = 5_000;

/** Rows of limits per read. A row contains the amounts of all limits of a DApp. */
const LIMIT_STRETCH = 200;

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
  /** How close the users of a limit are to the threshold, in the account's window. */
  async windowUsers({ place, threshold, most }: WindowQuery): Promise<WindowUsers> {
    let nearest: WindowUsers['nearest'] = [];
    let [users, atLimit] = [0, 0];
    const group = await rows.get<{ groupId: number; limits: string }>(GROUP, [place.group]);
    const slot = group === undefined ? -1 : readLimits(group.limits).indexOf(place.name);
    if (group === undefined || slot < 0) return { users, atLimit, nearest };
    for (let after = ''; ;) {
      const found = await rows.all<{ user: string; held: string }>(USERS, [group.groupId, after, LIMIT_STRETCH]);
      const used = found
        .map(({ user, held }) => ({ user, used: readHeld(held)[slot] ?? 0n }))
        .filter((one) => one.used > 0n);
      users += used.length;
      atLimit += used.filter((account) => account.used >= threshold).length;
      nearest = [...nearest, ...used].sort((a, b) => Number(b.used > a.used) - Number(b.used < a.used)).slice(0, most);
      const last = found.at(-1);
      if (last === undefined || found.length < LIMIT_STRETCH) return { users, atLimit, nearest };
      after = last.user;
      await turn();
    }
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
