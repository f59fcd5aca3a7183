import { expect } from 'vitest';
import { gasdesk } from './cli.ts';
import { ENGINES_ENV, type Engines, type SharedDesk } from './several-engines.ts';

interface SponsoredOperation {
  readonly paymasterId: string;
  readonly paymasterAndData: string;
  readonly maxCostWei: string;
}

/** What a database stores about the operations that its engines sponsored. */
export interface Audit {
  readonly name: string;
  /** The `paymasterAndData` values of sponsored decisions, grouped by `keyOf`. */
  promisesBy(keyOf: (decision: SponsoredOperation) => string): Map<string, Set<string>>;
  /** Held amounts of the limits' accounts, sorted as text. */
  heldOfLimits(): string[];
  /** Sum of the maximum costs. */
  signedWei(): bigint;
}

const SPONSORED = `SELECT paymaster_id AS "paymasterId", record::json ->> 'paymasterAndData' AS "paymasterAndData",
  record::json ->> 'maxCostWei' AS "maxCostWei" FROM decision WHERE outcome = 'sponsored'`;

/** Accounts whose held amount differs from the sum of their reservations. */
const UNEVEN = `SELECT kind, id, "window", "user", held, reserved FROM ledger_account JOIN LATERAL (
    SELECT coalesce(sum(held::numeric), 0) AS reserved FROM (
      SELECT held FROM ledger_reservation WHERE account_id = ledger_account.account_id
      UNION ALL SELECT amount FROM ledger_hold WHERE account_id = ledger_account.account_id
    ) AS each
  ) AS all_reservations ON true
  WHERE held::numeric <> reserved AND kind NOT IN ('breaker', 'dappBreaker')`;

/**
 * Reads what a desk has sponsored; no engine needs to run. Checks that the log verifies and that every account holds
 * the sum of its reservations.
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
  const sponsored = (await engines.server().query(SPONSORED, name)) as SponsoredOperation[];
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
