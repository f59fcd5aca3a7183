import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { HDNodeWallet } from 'ethers';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ProcedureName } from '../../src/api/index.ts';
import { copyIntoDatabase, copyOutOfDatabase } from '../../src/engine/backup/database-copy.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { Secret } from '../../src/engine/base/secret.ts';
import { loadConfig } from '../../src/engine/config/config.ts';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { type Engine, createEngine } from '../../src/engine/index.ts';
import { verifyDesk } from '../../src/engine/log/verify-log.ts';
import { copyToPostgres, copyToSqlite } from '../../src/engine/store/postgres/copy.ts';
import { openPostgresDatabase } from '../../src/engine/store/postgres/postgres-database.ts';
import { openDatabase } from '../../src/engine/store/sqlite/open.ts';
import { openSqliteStore } from '../../src/engine/store/sqlite/sqlite-store.ts';
import type { MinedUserOperation } from '../../src/engine/store/settlement-store.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import { gasdesk } from '../support/cli.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { findPostgres, type PostgresServer, startPostgres } from '../support/postgres.ts';
import { PASSPHRASE } from '../support/quick-engine.ts';
import { operation } from '../support/operations.ts';
import { withdrawal } from '../support/store-records.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const isLeftOut = findPostgres() === undefined && !process.env['CI'];
const reason = isLeftOut ? ' (left out: no PostgreSQL here)' : '';

const CHAIN_ID = 31337;
const CONTRACT: Address = `0x${'cc'.repeat(20)}`;
/** Both the id of the key and the key. */
const SECOND_KEY = 'the second key';
const DAY = 86_400_000;
const TOKEN = `0x${'70'.repeat(20)}`;
const ABI = '[{"type":"function","name":"mint","inputs":[],"stateMutability":"nonpayable"}]';
const USERS = ['a1', 'b2', 'c3', 'd4'].map((byte) => `0x${byte.repeat(20)}`);

const log = createLog({ level: 'silent' });
const clock = new ManualClock();
const tempFolder = useTempFolders();

/** The same desk wherever it is: each call goes to the engine that runs on it now. */
interface MovedDesk {
  readonly dir: string;
  engine: Engine;
  url: string;
}

const startOn = async (dir: string, database?: string): Promise<MovedDesk> => {
  const engine = await createEngine({
    folder: openDataFolder(dir),
    config: loadConfig({ flags: { port: 0, settlementPollMs: 600_000, ...(database !== undefined && { database }) } }),
    log,
    clock,
    passphrase: new Secret(PASSPHRASE),
    scrypt: { N: 1024, r: 8, p: 1 },
  });
  return { dir, engine, url: await engine.serve() };
};

const call = <T>({ engine }: MovedDesk, procedure: ProcedureName, input: unknown): Promise<T> =>
  (engine.service.call as (name: string, input: unknown) => Promise<unknown>)(procedure, input) as Promise<T>;

const rpc = async (desk: MovedDesk, apiKey: string, op: Record<string, unknown>): Promise<string> => {
  const response = await fetch(`${desk.url}/api/v1/${CHAIN_ID}/${apiKey}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'pm_sponsorUserOperation',
      params: [op, { mode: 'SPONSORED' }],
    }),
  });
  const { result, error } = (await response.json()) as {
    result?: { reason?: { code: string } };
    error?: { message: string };
  };
  return error?.message ?? result?.reason?.code ?? 'SPONSORED';
};

let nonce = 0;
const op = (sender = USERS[0]): Record<string, unknown> =>
  operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' }, { sender, nonce: (nonce += 1) });

interface Dapp {
  readonly paymasterId: string;
  readonly apiKey: string;
}

const makeDapp = async (desk: MovedDesk, name: string): Promise<Dapp> => {
  const [owner] = await call<{ accountId: string }[]>(desk, 'accounts.list', {});
  const definition = { accountId: owner?.accountId, name, type: 'HYBRID', chainId: CHAIN_ID, version: '1.1.0' };
  const dapp = await call<Dapp>(desk, 'paymasters.create', definition);
  const { paymasterId } = dapp;
  const wallet = HDNodeWallet.fromPhrase('test test test test test test test test test test test junk');
  const asked = await call<{ fundingMessage: string }>(desk, 'paymasters.fundingMessage', { paymasterId });
  const signature = await wallet.signMessage(asked.fundingMessage);
  const proof = { paymasterId, type: 'paymasterFundingId', signature, address: wallet.address };
  await call(desk, 'paymasters.setFundingWallet', proof);
  return dapp;
};

const limit = async (
  desk: MovedDesk,
  { paymasterId }: Dapp,
  { name = 'Limit', ...data }: Record<string, unknown> & { threshold: number },
  binding: Record<string, unknown> = {},
): Promise<void> => {
  const cycle = { cycleDuration: { value: 1, unit: 'day' } };
  const policyData = { type: 'PAYMASTER', ...cycle, thresholdType: 'COUNT', ...data };
  const rule = { name: `${String(name)} ${data.threshold}`, policyType: 'PAYMASTER_SA_LIMIT', policyData, ...binding };
  await call(desk, 'rules.create', { paymasterId, rule });
};

/** A desk in a folder that can sponsor. */
const startDesk = async (dir: string): Promise<MovedDesk> => {
  const desk = await startOn(dir);
  await call(desk, 'paymasterContracts.use', { chainId: CHAIN_ID, version: '1.1.0', address: CONTRACT });
  await call(desk, 'signers.create', { chainId: CHAIN_ID });
  return desk;
};

/** Every row of a database file, by table, in the order in which the desk reads them. */
const rowsOf = (file: string): Record<string, unknown[]> => {
  const database = new Database(file, { readonly: true });
  try {
    const names = database
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'sqlite_stat1'")
      .pluck()
      .all();
    return Object.fromEntries(
      names.map((name) => [
        name,
        database
          .prepare<[]>(`SELECT * FROM ${name}${name === 'sqlite_sequence' ? ' ORDER BY name' : ''}`)
          .safeIntegers()
          .all(),
      ]),
    );
  } finally {
    database.close();
  }
};

describe.skipIf(isLeftOut)(`copying a desk to PostgreSQL and back${reason}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  const order = (dir: string, url: string) => ({ dir, url: new Secret(url), clock, log });
  const nameOf = (url: string): string => new URL(url).pathname.slice(1);
  const inPostgres = (url: string, sql: string) => server.query(sql, nameOf(url));

  const withClient = async <T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> => {
    const client = new pg.Client(url);
    await client.connect();
    try {
      return await use(client);
    } finally {
      await client.end();
    }
  };

  /** Moves a stopped desk's folder into a new database. */
  const moveIn = async (dir: string): Promise<string> => {
    const url = await server.createDatabase();
    const { source, copy } = await copyIntoDatabase(order(dir, url));
    expect(copy).toEqual(source);
    return url;
  };
  /** And into another folder. */
  const moveOut = async (url: string): Promise<string> => {
    const dir = tempFolder();
    const { source, copy, engines } = await copyOutOfDatabase(order(dir, url));
    expect([copy, engines]).toEqual([source, 0]);
    return dir;
  };
  const fileOf = (dir: string): string => join(dir, 'gasdesk.db');

  const expectSound = async (desk: MovedDesk): Promise<void> => {
    const asked = desk.engine.service.call.bind(desk.engine.service);
    expect(await verifyDesk(asked, { withSignatures: true })).toMatchObject({ ok: true, faults: [] });
  };

  /** What only a chain, or another part of the desk, brings into a database: written while no engine uses it. */
  const addRest = async (dir: string, { paymasterId }: Dapp): Promise<void> => {
    const store = openSqliteStore(fileOf(dir), { clock, log });
    const [newest, before] = (await store.pageDecisions({ after: 0, limit: 10 })).decisions;
    const { userOpHash, entryPoint, sender } = newest!;
    const mined: MinedUserOperation = {
      userOpHash: userOpHash as Hex,
      entryPoint: entryPoint as Address,
      paymaster: CONTRACT,
      sender: sender as Address,
      nonce: 1n,
      success: true,
      actualGasCost: 3n,
      actualGasUsed: 1n,
      blockNumber: 9,
      blockHash: '0x',
      transactionHash: '0x',
    };
    await store.applySettlements({ chainId: CHAIN_ID, fromBlock: 0, toBlock: 9, cursor: 9, mined: [mined] });
    expect(await store.findDecision(newest!.id)).toMatchObject({
      settlement: 'settled',
      // A tank of which its contract says nothing has paid all of it.
      actualCostWei: newest!.maxCostWei,
    });
    expect(before).toMatchObject({ settlement: 'reserved' });
    const key = { keyId: SECOND_KEY, paymasterId, apiKey: SECOND_KEY, label: 'second' };
    await store.createApiKey({ ...key, createdAt: 2, lastUsedAt: null, revokedAt: null });
    const baseFee = { block: 9, baseFeeWei: 2n ** 200n, at: 5 };
    const urls = { name: null, symbol: null, rpc: null, bundler: null, treasury: null };
    const limits = {
      breaker: null,
      unreachableBudgetWei: null,
      maxOperationCostWei: null,
      price: null,
      forwardBundler: null,
      gasSchedule: null,
    };
    await store.saveChain({ chainId: CHAIN_ID, ...urls, ...limits });
    await store.saveChainFees(CHAIN_ID, { baseFee, tip: { hour: 3, lowestWei: 7n } });
    const [owner] = await store.listAccounts();
    const token = { accountId: owner!.accountId, label: 'CI', createdAt: 3, lastUsedAt: 4, revokedAt: null };
    await store.createAuthToken({ ...token, tokenId: 'z', scope: 'dapp', paymasterId, expiresAt: 9 }, 'hash z');
    await store.createAuthToken(
      { ...token, tokenId: 'b', scope: 'read', paymasterId: null, expiresAt: null },
      'hash b',
    );
    await store.revokeAuthToken('z', 5);
    await store.saveFundingMessage({ paymasterId, message: 'a message', issuedAt: 6 });
    const bare = {
      name: null,
      symbol: null,
      rpc: null,
      bundler: null,
      treasury: null,
      breaker: null,
      price: null,
      forwardBundler: null,
      gasSchedule: null,
    };
    await store.saveChain({ ...bare, chainId: 10, unreachableBudgetWei: '7', maxOperationCostWei: null });
    // More than a tile of the log's tree.
    const nothing = { action: 'nothing', via: 'cli', by: 'operator', changes: [] } as const;
    await Promise.all(Array.from({ length: 300 }, () => store.logAction(nothing)));
    await store.saveOperatorTransaction({ ...withdrawal(), paymasterId });
    await store.close();
    // The store fills a whole lot before it writes one.
    const database = openDatabase(fileOf(dir));
    database.exec(`INSERT INTO search_lot VALUES (3, '1'); INSERT INTO search_gram VALUES (3, 5, x'01ff02')`);
    // Deliveries and alerts that wait.
    database.exec(`
      INSERT INTO event_webhook (webhook_id, url, events, active, created_at) VALUES ('w', 'https://e.example', '[]', 0, 1);
      INSERT INTO event_position VALUES ('w', 1, 2, 3, 4, NULL, 5);
      INSERT INTO event_delivery (webhook_id, event_id, type, at, source, position, state, attempts, attempted_at,
        request_headers, request_body, response, ms) VALUES ('w', 'e', 't', 1, 'log', 2, 'failed', 3, 4, '{}', '{}', '', 5);
      INSERT INTO alert_channel (channel_id, kind, host, active, created_at) VALUES ('c', 'slack', 'e.example', 0, 1);
      INSERT INTO alert_attempt VALUES ('c', 1, 2, NULL, NULL);
      INSERT INTO alert_due VALUES ('c', 1, 0)`);
    database.close();
  };

  test('a desk continues where it was: data, log, limits, keys', async () => {
    const dir = tempFolder();
    let desk = await startDesk(dir);
    const game = await makeDapp(desk, 'Game');
    const other = await makeDapp(desk, 'Another');
    const { paymasterId } = other;
    await limit(desk, game, { threshold: 5 });
    await limit(desk, game, { type: 'SMART_ACCOUNT', threshold: 4 });
    await limit(desk, game, {
      thresholdType: 'NATIVE_ASSET',
      threshold: 0.5,
      cycleDuration: { value: 1, unit: 'week' },
    });
    await limit(desk, game, { threshold: 1, name: 'in shadow' }, { enforcement: 'shadow' });
    for (const [name, byte] of Object.entries({ 'Z first': 'f1', 'A second': '01' })) {
      const address = `0x${byte}${'22'.repeat(19)}`;
      const contract = { paymasterId, name, address, abi: ABI, whitelistedMethods: ['mint'] };
      await call(desk, 'contracts.create', contract);
      const webhookUrl = `https://u:secret@${byte}.example.com/verify`;
      await call(desk, 'webhooks.create', { paymasterId: other.paymasterId, webhookUrl, requestType: 'POST' });
    }
    const fixed = { rate: { source: 'static', tokensPerCoin: '3000' }, premium: '10', decimals: 6 };
    await call(desk, 'feeTokens.set', { chainId: CHAIN_ID, address: TOKEN, symbol: 'USDT', ...fixed });
    for (let n = 0; n < 3; n += 1) expect(await rpc(desk, game.apiKey, op())).toBe('SPONSORED');
    expect(await rpc(desk, other.apiKey, op())).toBe('CONTRACT_NOT_REGISTERED');
    await call(desk, 'paymasters.pause', { paymasterId });
    await call(desk, 'paymasters.resume', { paymasterId });
    await call(desk, 'paymasters.pause', { paymasterId });
    await call(desk, 'system.pause', { reason: 'for a moment' });
    expect(await rpc(desk, game.apiKey, op())).toBe('SPONSORSHIP_PAUSED');
    await call(desk, 'system.resume', {});
    const key = await call<{ key: string }>(desk, 'log.key', {});
    await call(desk, 'log.checkpoint', {});
    await desk.engine.stop();
    await addRest(dir, game);

    const url = await moveIn(dir);
    const before = rowsOf(fileOf(dir));
    expect(
      Object.entries(before)
        .filter(([, rows]) => rows.length === 0)
        .map(([name]) => name),
    ).toEqual(['sponsorship_pause', 'notification_webhook', 'ledger_hold']);
    expect(rowsOf(fileOf(await moveOut(url)))).toEqual(before);

    desk = await startOn(tempFolder(), url);
    expect(await call(desk, 'log.key', {})).toMatchObject({ key: key.key });
    expect(await rpc(desk, SECOND_KEY, op())).toBe('SPONSORED');
    expect(await rpc(desk, game.apiKey, op())).toBe('LIMIT_REACHED');
    expect(await rpc(desk, game.apiKey, op(USERS[1]))).toBe('SPONSORED');
    expect(await rpc(desk, game.apiKey, op(USERS[1]))).toBe('LIMIT_REACHED');
    const contracts = await call<{ name: string }[]>(desk, 'contracts.list', { paymasterId });
    expect(contracts.map(({ name }) => name)).toEqual(['Z first', 'A second']);
    await call(desk, 'accounts.create', { name: 'Made in PostgreSQL' });
    await expectSound(desk);
    await desk.engine.stop();

    const home = await moveOut(url);
    const after = rowsOf(fileOf(home));
    expect(after['log_entry']?.slice(0, before['log_entry']?.length)).toEqual(before['log_entry']);
    expect(readFileSync(join(home, 'vault.json'), 'utf8')).toBe(readFileSync(join(dir, 'vault.json'), 'utf8'));
    const modes = ['vault.json', 'gasdesk.db'].map((name) => statSync(join(home, name)).mode & 0o777);
    if (process.platform !== 'win32') expect(modes).toEqual([0o600, 0o600]);

    desk = await startOn(home);
    expect(await rpc(desk, game.apiKey, op(USERS[2]))).toBe('LIMIT_REACHED');
    await clock.advance(DAY);
    expect(await rpc(desk, game.apiKey, op(USERS[2]))).toBe('SPONSORED');
    await call(desk, 'accounts.create', { name: 'Made at home again' });
    await expectSound(desk);
    await desk.engine.stop();
    await moveIn(home);
  });

  test('however often a desk moves, its limits count on', async () => {
    const dir = tempFolder();
    let desk = await startDesk(dir);
    const dapp = await makeDapp(desk, 'Game');
    const MAX_OPERATIONS = 7;
    await limit(desk, dapp, { type: 'SMART_ACCOUNT', threshold: MAX_OPERATIONS });
    let random = 20_261_123;
    const next = (below: number): number => (random = (random * 48_271) % 2_147_483_647) % below;
    const asked = new Map<string, number>();
    let home = dir;
    for (let turn = 0; turn < 5; turn += 1) {
      for (let n = next(16); n > 0; n -= 1) {
        const sender = USERS[next(USERS.length)]!;
        const count = (asked.get(sender) ?? 0) + 1;
        asked.set(sender, count);
        expect(await rpc(desk, dapp.apiKey, op(sender))).toBe(count <= MAX_OPERATIONS ? 'SPONSORED' : 'LIMIT_REACHED');
      }
      await desk.engine.stop();
      if (turn % 2 === 0) desk = await startOn(tempFolder(), await moveIn(home));
      else desk = await startOn((home = await moveOut(await lastDatabase())));
      await expectSound(desk);
    }
    await desk.engine.stop();
  });
  const lastDatabase = async (): Promise<string> => {
    const [newest] = (await server.query(
      `SELECT datname AS name FROM pg_database WHERE datname LIKE 'desk_%' ORDER BY oid DESC LIMIT 1`,
    )) as { name: string }[];
    return server.urlOf(newest!.name);
  };

  test('a database from before version 1.0 is refused, with what to do, and nothing is copied', async () => {
    const dir = tempFolder();
    openDatabase(fileOf(dir)).close();
    const old = new Database(fileOf(dir));
    old.pragma('user_version = 135');
    old.close();
    await expect(moveIn(dir)).rejects.toMatchObject({
      code: 'DATABASE_TOO_OLD',
      message: expect.stringContaining('gasdesk policy export') as string,
    });
  });

  describe('rows that are rare', () => {
    /** Copies a database that was written by hand, and answers it and its copy's copy. */
    const thereAndBack = async (write: (database: Database.Database) => void) => {
      const url = await server.createDatabase();
      const database = openDatabase(join(tempFolder(), 'one.db'));
      const back = openDatabase(join(tempFolder(), 'two.db'));
      onTestFinished(() => {
        database.close();
        back.close();
      });
      database.exec("INSERT INTO account (account_id, name, created_at) VALUES ('a', 'A', 1)");
      write(database);
      await withClient(url, (client) => copyToPostgres({ database, vault: undefined }, client));
      await withClient(url, (client) => copyToSqlite(client, back));
      return { url, database, back };
    };
    const value = (database: Database.Database, sql: string): unknown =>
      database.prepare(sql).pluck().safeIntegers().get();

    test('numbers that no float holds are exact', async () => {
      const { back } = await thereAndBack((one) => {
        one.prepare('INSERT INTO chain_cursor VALUES (?, ?)').run(9_007_199_254_740_993n, 2n ** 63n - 1n);
      });
      expect(value(back, 'SELECT chain_id FROM chain_cursor')).toBe(9_007_199_254_740_993n);
      expect(value(back, 'SELECT block FROM chain_cursor')).toBe(2n ** 63n - 1n);
    });

    test('a NUL becomes what it becomes in PostgreSQL; other text stays', async () => {
      const texts = ['a\0b', '{"quoted\\"}', '\\x00', 'NULL', '', '\u{1f600}é\n'];
      const { back } = await thereAndBack((one) => {
        for (const text of texts)
          one.prepare('INSERT INTO account (account_id, name, created_at) VALUES (?, ?, 1)').run(`id ${text}`, text);
      });
      const names = back.prepare('SELECT name FROM account ORDER BY rowid').pluck().all();
      expect(names).toEqual(['A', 'a\u{fffd}b', ...texts.slice(1)]);
    });

    test('changes without an entry yet, and numbers that are not given twice', async () => {
      const { url, back } = await thereAndBack((one) => {
        one.exec(`INSERT INTO operator_change (change_id, call, subject, id) VALUES (7, '{"action":"x"}', 's', 'i')`);
        one.exec(`INSERT INTO policy_revision VALUES ('h', 'p', 1, NULL, '{}')`);
        one.exec(`INSERT INTO policy_history (seq, paymaster_id, hash, at) VALUES (3, 'p', 'h', 1), (41, 'p', 'h', 2)`);
        one.exec('DELETE FROM policy_history WHERE seq = 41');
      });
      expect(value(back, 'SELECT change_id FROM operator_change')).toBe(7n);
      const history = `INSERT INTO policy_history (paymaster_id, hash, at) VALUES ('p', 'h', 3) RETURNING seq`;
      expect(value(back, history)).toBe(42n);
      expect(await inPostgres(url, history)).toEqual([{ seq: '42' }]);
      const change = `INSERT INTO operator_change (call, subject, id) VALUES ('', '', '') RETURNING change_id`;
      expect(await inPostgres(url, change)).toEqual([{ change_id: '8' }]);
    });

    test('the holds of a killed engine are released by the first engine there, which the log records', async () => {
      const { url } = await thereAndBack((one) => {
        one.exec(`INSERT INTO ledger_account VALUES (4, 'tank', 't', 0, '', '12')`);
        one.exec(`INSERT INTO ledger_hold VALUES (9, 4, '5', 0)`);
      });
      const { store } = await openPostgresDatabase(new Secret(url), { clock, log });
      const lines = await store.logLines({ from: 0, limit: 9 });
      expect(lines.map(({ kind }) => kind)).toEqual(['start', 'release']);
      expect(lines[1]?.text).toContain('"holds":[9]');
      await store.close();
      expect(await inPostgres(url, 'SELECT held FROM ledger_account')).toEqual([{ held: '7' }]);
    });

    test('hashes under which operations were mined, and those that were not entered yet', async () => {
      const { url, back } = await thereAndBack((one) => {
        one.exec(`INSERT INTO paymaster (paymaster_id, account_id, name, chain_id, api_key, version, created_at)
          VALUES ('p', 'a', 'P', 1, 'k', '1.1.0', 1)`);
        one.exec(`INSERT INTO decision (seq, id, at, paymaster_id, sender, outcome, user_op_hash, record)
          VALUES (5, 'd', 1, 'p', 's', 'sponsored', '0xaa', '{}'), (900, 'e', 1, 'p', 's', 'denied', NULL, '{}')`);
        one.exec(`INSERT INTO decision_hash VALUES ('0xbb', 5)`);
      });
      const hashes = [{ user_op_hash: '0xaa' }, { user_op_hash: '0xbb' }];
      expect(await inPostgres(url, 'SELECT user_op_hash FROM decision_hash ORDER BY 1')).toEqual(hashes);
      expect(value(back, 'SELECT seq FROM decision_hash_end')).toBe(900n);
      expect(await inPostgres(url, 'SELECT decisions FROM desk_head')).toEqual([{ decisions: '2' }]);
    });
  });

  describe('what is refused, and changes nothing', () => {
    const code = (expected: string, message: string) =>
      expect.objectContaining({ code: expected, message: expect.stringContaining(message) as string }) as Error;

    const stoppedDesk = async (): Promise<string> => {
      const dir = tempFolder();
      await (await startDesk(dir)).engine.stop();
      return dir;
    };

    test('a database with a desk, with an engine, or of another program', async () => {
      const dir = await stoppedDesk();
      const url = await moveIn(dir);
      await expect(copyIntoDatabase(order(dir, url))).rejects.toThrow(code('DATABASE_NOT_EMPTY', 'Gasdesk data'));

      const used = await server.createDatabase();
      const { store } = await openPostgresDatabase(new Secret(used), { clock, log });
      await expect(copyIntoDatabase(order(dir, used))).rejects.toThrow(code('DATABASE_NOT_EMPTY', 'An engine'));
      await store.close();
      await copyIntoDatabase(order(dir, used));

      const foreign = await server.createDatabase();
      await inPostgres(foreign, 'CREATE TABLE theirs (x int)');
      await expect(copyIntoDatabase(order(dir, foreign))).rejects.toThrow(
        code('DATABASE_NOT_EMPTY', 'another program'),
      );
      const left = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'";
      expect(await inPostgres(foreign, left)).toEqual([{ tablename: 'theirs' }]);
    });

    test('a folder that an engine uses, or that has no desk, and a server that is not there', async () => {
      const desk = await startDesk(tempFolder());
      const url = await server.createDatabase();
      await expect(copyIntoDatabase(order(desk.dir, url))).rejects.toThrow(code('DATA_FOLDER_IN_USE', 'uses'));
      await expect(copyOutOfDatabase(order(desk.dir, url))).rejects.toThrow(code('DATA_FOLDER_IN_USE', 'uses'));
      await desk.engine.stop();
      const none = tempFolder();
      await expect(copyIntoDatabase(order(none, url))).rejects.toThrow(code('DATA_FOLDER_UNUSABLE', 'no Gasdesk data'));
      const nowhere = 'postgres://gasdesk@127.0.0.1:1/desk';
      await expect(copyIntoDatabase(order(desk.dir, nowhere))).rejects.toThrow(code('STORE_UNAVAILABLE', 'reach'));
      await expect(copyOutOfDatabase(order(none, nowhere))).rejects.toThrow(code('STORE_UNAVAILABLE', 'reach'));
      const unknown = server.urlOf('no_such_database');
      await expect(copyIntoDatabase(order(desk.dir, unknown))).rejects.toThrow(code('STORE_UNAVAILABLE', 'no_such_'));
      expect(existsSync(fileOf(none))).toBe(false);
    });

    test('a folder with a desk or another vault, and a database without a desk', async () => {
      const dir = await stoppedDesk();
      const url = await moveIn(dir);
      await expect(copyOutOfDatabase(order(dir, url))).rejects.toThrow(
        code('DATA_FOLDER_UNUSABLE', 'already contains Gasdesk data'),
      );
      const vaulted = tempFolder();
      writeFileSync(join(vaulted, 'vault.json'), 'another');
      await expect(copyOutOfDatabase(order(vaulted, url))).rejects.toThrow(
        code('DATA_FOLDER_UNUSABLE', 'another vault'),
      );
      expect(readFileSync(join(vaulted, 'vault.json'), 'utf8')).toBe('another');
      expect(readdirSync(vaulted).filter((name) => name.startsWith('gasdesk.db'))).toEqual([]);
      // As a copy leaves it that was killed between its last two steps.
      renameSync(join(dir, 'vault.json'), join(vaulted, 'vault.json'));
      await copyOutOfDatabase(order(vaulted, url));

      const empty = await server.createDatabase();
      await expect(copyOutOfDatabase(order(tempFolder(), empty))).rejects.toThrow(
        code('CONFIG_INVALID', 'no Gasdesk data'),
      );
      expect(await inPostgres(empty, "SELECT FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
    });

    test('a row that does not arrive as it was', async () => {
      const dir = await stoppedDesk();
      const url = await server.createDatabase();
      await (await openPostgresDatabase(new Secret(url), { clock, log })).store.close();
      await inPostgres(
        url,
        `CREATE FUNCTION garble() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN new.address := 'other'; RETURN new; END $$;
         CREATE TRIGGER garble BEFORE INSERT ON signer FOR EACH ROW EXECUTE FUNCTION garble()`,
      );
      await expect(copyIntoDatabase(order(dir, url))).rejects.toThrow('The copy of the table signer differs');
      expect(await inPostgres(url, 'SELECT 1 FROM account UNION ALL SELECT 1 FROM log_entry')).toEqual([]);
      expect(await inPostgres(url, 'SELECT count(*) FROM desk')).toEqual([{ count: '1' }]);
    });

    const CLI = join(import.meta.dirname, '..', '..', 'src', 'cli', 'index.ts');
    /** Kills a copy while it waits for a table that someone has locked. */
    const killCopy = async (url: string, args: readonly string[]): Promise<void> => {
      await withClient(url, async (holder) => {
        await holder.query('BEGIN; LOCK TABLE webhook IN ACCESS EXCLUSIVE MODE');
        const child: ChildProcess = spawn(process.execPath, [CLI, 'database', 'copy', ...args], { stdio: 'ignore' });
        const ended = once(child, 'exit');
        const waiting = `SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted AND relation = 'webhook'::regclass`;
        await expect.poll(() => inPostgres(url, waiting), { interval: 50 }).toEqual([{ n: 1 }]);
        child.kill('SIGKILL');
        await ended;
        await holder.query('ROLLBACK');
      });
      const others = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'gasdesk'
        AND datname = current_database()`;
      await expect.poll(() => inPostgres(url, others), { interval: 50 }).toEqual([{ n: 0 }]);
    };

    test('a copy that is killed leaves nothing, and the next one is whole', async () => {
      const dir = await stoppedDesk();
      const url = await server.createDatabase();
      await (await openPostgresDatabase(new Secret(url), { clock, log })).store.close();
      await killCopy(url, ['--data', dir, '--to', url]);
      expect(await inPostgres(url, 'SELECT 1 FROM account UNION ALL SELECT 1 FROM vault')).toEqual([]);
      await copyIntoDatabase(order(dir, url));

      const home = tempFolder();
      await killCopy(url, ['--data', home, '--from', url]);
      expect([existsSync(fileOf(home)), existsSync(join(home, 'vault.json'))]).toEqual([false, false]);
      expect(existsSync(`${fileOf(home)}.new`)).toBe(true);
      await copyOutOfDatabase(order(home, url));
      expect(readdirSync(home).filter((name) => name.includes('.new'))).toEqual([]);
      expect(rowsOf(fileOf(home))).toEqual(rowsOf(fileOf(dir)));
    });

    test('an engine that uses the database continues while it is copied, and the operator is warned', async () => {
      const url = await moveIn(await stoppedDesk());
      const desk = await startOn(tempFolder(), url);
      const home = tempFolder();
      expect(await copyOutOfDatabase(order(home, url))).toMatchObject({ engines: 1 });
      await call(desk, 'accounts.create', { name: 'Afterwards' });
      await desk.engine.stop();
      const copied = await startOn(home);
      await expectSound(copied);
      await copied.engine.stop();
    });
  });

  describe('gasdesk database copy', () => {
    test('says what it copied, and that the root is the same', async () => {
      const dir = tempFolder();
      await (await startDesk(dir)).engine.stop();
      const url = await server.createDatabase();
      const there = await gasdesk(['database', 'copy', '--data', dir, '--to', url]);
      expect([there.code, there.stderr]).toEqual([0, '']);
      expect(there.stdout).toMatch(/^database +decisions +log entries +log root\n/);
      expect(there.stdout).toContain('The copy has the same root.\n');
      const roots = [...there.stdout.matchAll(/\b[0-9a-f]{64}\b/g)].map(([root]) => root);
      expect(roots).toEqual([roots[0], roots[0]]);

      const home = tempFolder();
      const back = await gasdesk(['database', 'copy', '--data', home, '--from', '--json'], { GASDESK_DATABASE: url });
      expect([back.code, back.stderr]).toEqual([0, '']);
      const side = { decisions: 0, logRoot: roots[0] };
      const told = { from: { ...side, database: url }, to: { ...side, database: fileOf(home) }, sameRoot: true };
      expect(JSON.parse(back.stdout)).toMatchObject(told);

      const again = await gasdesk(['database', 'copy', '--data', dir, '--to', url]);
      expect([again.code, again.stderr]).toEqual([
        1,
        expect.stringContaining('The database already contains Gasdesk data'),
      ]);
    });

    test.each([
      [['--to', 'postgres://u:s3cret@db/desk'], 1, /from --to\).*GASDESK_DATABASE.*PGPASSWORD.*PGPASSFILE/],
      [[], 2, /Name the database with --to or --from/],
      [['--to'], 2, /Name the database: --to postgres/],
      [['--database', 'postgres://db/desk', '--to', 'postgres://db/desk'], 2, /with --to or --from/],
      [['--to', 'postgres://db/desk', '--from', 'postgres://db/desk'], 2, /cannot be used with/],
      [['--to', 'mysql://db/desk'], 1, /must be a postgres:/],
    ])('refuses %j', async (args, exit, message) => {
      const { code, stderr } = await gasdesk(['database', 'copy', '--data', tempFolder(), ...args]);
      expect([code, stderr]).toEqual([exit, expect.stringMatching(message)]);
      expect(stderr).not.toContain('s3cret');
    });
  });
});
