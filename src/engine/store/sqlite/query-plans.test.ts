import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { accountStore } from './accounts.ts';
import { chainStore } from './chains.ts';
import { decisionStore } from './decisions.ts';
import { openDatabase } from './open.ts';
import { paymasterStore } from './paymasters.ts';
import { policyStore } from './policy.ts';

/** Every statement that the store has prepared, whatever it is for. */
const statements: string[] = [];
let dir: string;
let database: Database.Database;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'gasdesk-plans-'));
  database = openDatabase(join(dir, 'gasdesk.db'));
  const prepare = vi.spyOn(database, 'prepare');
  for (const part of [accountStore, chainStore, paymasterStore, policyStore]) part(database);
  const { listDecisions } = decisionStore(database);
  for (const paymasterId of [undefined, 'dapp']) {
    for (const outcome of [undefined, 'denied'] as const) {
      for (const before of [undefined, 5]) await listDecisions({ paymasterId, outcome, before, limit: 1 });
    }
  }
  statements.push(...prepare.mock.calls.map(([sql]) => sql));
  prepare.mockRestore();
});
afterAll(() => {
  database.close();
  rmSync(dir, { recursive: true, force: true });
});

/** How SQLite would run a statement, a line per step; parameters stay parameters, or it would fold them away. */
const plan = (sql: string): string[] => {
  const names = [...sql.matchAll(/@(\w+)/g)].map(([, name]) => [name!, null]);
  const values = names.length > 0 ? [Object.fromEntries(names) as object] : [...sql.matchAll(/\?/g)].map(() => null);
  const steps = database.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
  return steps.map(({ detail }) => detail);
};

const containing = (text: string): string[] => statements.filter((sql) => sql.replaceAll(/\s+/g, ' ').includes(text));

describe('the plans of the statements', () => {
  it('knows the statements, or it would look at none', () => {
    expect(statements.length).toBeGreaterThan(40);
  });

  it('reads whole tables only where a whole, small table is asked for', () => {
    const scanned = statements.flatMap((sql) => plan(sql)).filter((line) => line.startsWith('SCAN'));
    expect([...new Set(scanned.map((line) => line.replace(/ USING.*/, '')))].sort()).toEqual([
      'SCAN account',
      'SCAN auth_token',
      'SCAN chain',
      // The newest decisions of all, which are read from the end until there are enough; and their number.
      'SCAN decision',
      'SCAN paymaster',
      'SCAN paymaster_contract',
      'SCAN signer',
    ]);
  });

  it('lists the decisions of a DApp without reading those of the others', () => {
    const lists = containing('FROM decision WHERE').filter((sql) => sql.includes('LIMIT'));
    expect(lists).toHaveLength(7);
    for (const sql of lists) expect(plan(sql), sql).toEqual([expect.stringMatching(/^SEARCH decision USING/)]);
    const ofDapp = lists.filter((sql) => sql.includes('paymaster_id') && !sql.includes('outcome'));
    expect(ofDapp).toHaveLength(2);
    for (const sql of ofDapp) expect(plan(sql)[0]).toContain('USING INDEX decision_of_paymaster');
  });

  it('never sorts decisions: there may be millions', () => {
    const sorted = containing('FROM decision').filter((sql) => plan(sql).some((line) => line.includes('TEMP B-TREE')));
    expect(sorted).toEqual([]);
  });

  it.each([
    [
      'what a tank has to give back',
      'FROM tank_promise WHERE tank_id',
      'tank_promise_due (tank_id=? AND release_at<?)',
    ],
    ['what a tank has promised', 'FROM tank WHERE', 'sqlite_autoindex_tank_1 (tank_id=?)'],
    ['the DApp of an API key', 'FROM paymaster WHERE api_key', 'sqlite_autoindex_paymaster_2 (api_key=?)'],
    ['the account of a token', 'FROM auth_token WHERE hash', 'sqlite_autoindex_auth_token_2 (hash=?)'],
    ['a decision by its id', 'FROM decision WHERE id', 'sqlite_autoindex_decision_1 (id=?)'],
    ['the webhooks of a DApp', 'FROM webhook WHERE paymaster_id = ? ORDER', 'webhook_of_paymaster (paymaster_id=?)'],
  ])('finds %s by an index', (_what, text, index) => {
    const [sql, ...others] = containing(text);
    expect(others).toEqual([]);
    expect(plan(sql!)).toEqual([expect.stringContaining(index)]);
  });
});
