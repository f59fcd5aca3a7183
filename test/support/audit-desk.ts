import { expect } from 'vitest';
import { gasdesk } from './cli.ts';
import { ENGINES_ENV, type Engines, type SharedDesk } from './several-engines.ts';

/** A sponsored decision as the database holds it. */
interface Sponsored {
  readonly paymasterId: string;
  readonly paymasterAndData: string;
  readonly maxCostWei: string;
}

/** What a database holds of what its engines have promised. */
export interface Audit {
  /** Of the database. */
  readonly name: string;
  /** Promises by what `keyOf` says of their decisions. */
  promisesBy(keyOf: (decision: Sponsored) => string): Map<string, Set<string>>;
  /** What the accounts of limits hold, sorted as text. */
  heldOfLimits(): string[];
  /** The maximum cost of all together. */
  signedWei(): bigint;
}

const SPONSORED = `SELECT paymaster_id AS "paymasterId", record::json ->> 'paymasterAndData' AS "paymasterAndData",
  record::json ->> 'maxCostWei' AS "maxCostWei" FROM decision WHERE outcome = 'sponsored'`;

/** Accounts that hold something else than what is reserved in them. */
const UNEVEN = `SELECT kind, id, "window", "user", held, reserved FROM ledger_account JOIN LATERAL (
    SELECT coalesce(sum(held::numeric), 0) AS reserved FROM (
      SELECT held FROM ledger_reservation WHERE account_id = ledger_account.account_id
      UNION ALL SELECT amount FROM ledger_hold WHERE account_id = ledger_account.account_id
    ) AS each
  ) AS all_reservations ON true
  WHERE held::numeric <> reserved AND kind NOT IN ('breaker', 'dappBreaker')`;

/**
 * Reads what a desk has promised, on which no engine need run. Its log is content, every account holds what is reserved in
 * it, and no operation was promised twice.
 */
export const auditDesk = async (engines: Engines, { database }: SharedDesk): Promise<Audit> => {
  const name = new URL(database).pathname.slice(1);
  const flags = ['--json', '--database', database, '--data', engines.folder()];
  const { code, stdout, stderr } = await gasdesk(['log', 'verify', ...flags], ENGINES_ENV);
  expect([stderr, code, stdout === '' ? '' : (JSON.parse(stdout) as unknown)]).toMatchObject([
    '',
    0,
    { ok: true, faults: [] },
  ]);
  expect(await engines.server().query(UNEVEN, name)).toEqual([]);
  const sponsored = (await engines.server().query(SPONSORED, name)) as Sponsored[];
  const limits = await engines.server().query(`SELECT held FROM ledger_account WHERE kind = 'limit'`, name);
  return {
    name,
    promisesBy: (keyOf) =>
      new Map(
        [...Map.groupBy(sponsored, keyOf)].map(([key, all]) => [
          key,
          new Set(all.map(({ paymasterAndData }) => paymasterAndData)),
        ]),
      ),
    heldOfLimits: () => (limits as { held: string }[]).map(({ held }) => held).sort(),
    signedWei: () => sponsored.reduce((sum, { maxCostWei }) => sum + BigInt(maxCostWei), 0n),
  };
};
