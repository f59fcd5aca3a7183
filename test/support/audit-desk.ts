import { expect } from 'vitest';
import type { SettlementState } from '../../src/core/ledger/after-settlement.ts';
import { type StoredReservation, heldIn, readReserves } from '../../src/engine/store/reserves.ts';
import { readHeld } from '../../src/engine/store/tables/limit-rows.ts';
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

interface DecisionHolding {
  readonly settlement: SettlementState;
  readonly actualCostWei: string | null;
  readonly reserves: string;
}

const HOLDINGS = `SELECT settlement, actual_cost_wei AS "actualCostWei", reserves FROM decision WHERE reserves IS NOT NULL`;

const ROWS = 'SELECT row_id::int AS "accountId", held FROM limit_row';

const HOLDS = 'SELECT account_id::int AS "accountId", amount FROM ledger_hold';

const ACCOUNTS = `SELECT account_id::int AS "accountId", held FROM ledger_account
  WHERE kind NOT IN ('breaker', 'dappBreaker', 'unreachable')`;

type Account = Pick<StoredReservation, 'accountId' | 'slot'>;

interface StoredAmounts {
  readonly accountId: number;
  readonly held: string;
}

/** Accounts whose held amount differs from the sum of what decisions and holds have in them. */
const unevenAccounts = async (query: (sql: string) => Promise<unknown>): Promise<unknown[]> => {
  const sums = new Map<string, bigint>();
  const add = ({ accountId, slot }: Account, amount: bigint): void => {
    const key = `${accountId} ${slot}`;
    sums.set(key, (sums.get(key) ?? 0n) + amount);
  };
  for (const { reserves, ...settled } of (await query(HOLDINGS)) as DecisionHolding[])
    for (const one of readReserves(reserves)) add(one, heldIn(settled, one));
  for (const { accountId, amount } of (await query(HOLDS)) as { accountId: number; amount: string }[])
    add({ accountId }, BigInt(amount));
  const accounts: (Account & { held: bigint })[] = [];
  for (const { accountId, held } of (await query(ACCOUNTS)) as StoredAmounts[])
    accounts.push({ accountId, held: BigInt(held) });
  for (const { accountId, held } of (await query(ROWS)) as StoredAmounts[])
    for (const [slot, amount] of readHeld(held).entries()) accounts.push({ accountId, slot, held: amount });
  return accounts.filter(({ accountId, slot, held }) => held !== (sums.get(`${accountId} ${slot}`) ?? 0n));
};

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
  expect(await unevenAccounts((sql) => engines.server().query(sql, name))).toEqual([]);
  const sponsored = (await engines.server().query(SPONSORED, name)) as SponsoredOperation[];
  const limits = await engines.server().query('SELECT held FROM limit_row', name);
  return {
    name,
    promisesBy: (keyOf) =>
      new Map(
        [...Map.groupBy(sponsored, keyOf)].map(([key, all]) => [
          key,
          new Set(all.map(({ paymasterAndData }) => paymasterAndData)),
        ]),
      ),
    heldOfLimits: () => (limits as { held: string }[]).flatMap(({ held }) => readHeld(held).map(String)).sort(),
    signedWei: () => sponsored.reduce((sum, { maxCostWei }) => sum + BigInt(maxCostWei), 0n),
  };
};
