import type { Address } from '../../../shared/schema/hex.ts';
import type { DecisionQueries, OutstandingReservations } from '../decision-queries.ts';
import type { DecisionStore } from '../decision-store.ts';
import type { Rows } from './rows.ts';
import type { Writer } from './writer.ts';

type Queries = Pick<DecisionQueries, 'rollingHoldings' | 'windowUsers' | 'outstandingReservations'> &
  Pick<DecisionStore, 'forgetRolling'>;

const OUTSTANDING = `SELECT paymaster_id AS "paymasterId", chain_id AS "chainId", count(DISTINCT seq) AS operations,
    coalesce(sum((part ->> 3)::numeric) FILTER (WHERE part ->> 1 = 'tank'), 0)::text AS "reservedWei"
  FROM decision LEFT JOIN LATERAL json_array_elements(reserves::json) AS part ON true
  WHERE settlement = 'reserved' GROUP BY paymaster_id, chain_id ORDER BY min(seq)`;

const WINDOW_USERS = `SELECT "user", held, count(*) OVER () AS users,
    count(*) FILTER (WHERE held::numeric >= $4::numeric) OVER () AS "atLimit"
  FROM ledger_account WHERE kind = $1 AND id = $2 AND "window" = $3 AND "user" <> '' AND held::numeric > 0
  ORDER BY held::numeric DESC, "user" LIMIT $5`;

export const ledgerQueries = ({ rows, writer }: { rows: Rows; writer: Writer }): Queries => ({
  async rollingHoldings({ kind, id }) {
    const found = await rows.get<{ first: number | null; held: string | null }>(
      `SELECT min("window") AS first, sum(held::numeric)::text AS held FROM ledger_account WHERE kind = $1 AND id = $2`,
      [kind, id],
    );
    if (found === undefined || found.first === null) return undefined;
    return { first: found.first, held: BigInt(found.held ?? '0') };
  },
  async forgetRolling({ kind, id }, since) {
    await writer.run(async (writing) => {
      const forgotten = await writing.run(
        `DELETE FROM ledger_account WHERE kind = $1 AND id = $2 AND $3 > (
           SELECT max("window") FROM ledger_account WHERE kind = $1 AND id = $2)`,
        [kind, id, since],
      );
      if (forgotten > 0) writing.log.append('reset', { kind, id });
    });
  },
  async windowUsers({ account: { kind, id, window = 0 }, threshold, most }) {
    const found = await rows.all<{ user: Address; held: string; users: number; atLimit: number }>(WINDOW_USERS, [
      kind,
      id,
      window,
      String(threshold),
      Math.max(1, most),
    ]);
    const { users = 0, atLimit = 0 } = found[0] ?? {};
    return { users, atLimit, nearest: found.slice(0, most).map(({ user, held }) => ({ user, used: BigInt(held) })) };
  },
  async outstandingReservations() {
    const found = await rows.all<Omit<OutstandingReservations, 'reservedWei'> & { reservedWei: string }>(OUTSTANDING);
    return found.map((one) => ({ ...one, reservedWei: BigInt(one.reservedWei) }));
  },
});
