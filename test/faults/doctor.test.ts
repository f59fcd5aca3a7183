import { once } from 'node:events';
import { chmodSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { loadConfig } from '../../src/engine/config/config.ts';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { type Engine, createEngine } from '../../src/engine/index.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { openSqliteStore } from '../../src/engine/store/sqlite/sqlite-store.ts';
import { Secret } from '../../src/engine/base/secret.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { account, decision, paymaster } from '../support/store-records.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();
const MINUTE = 60_000;
const MIB = 2n ** 20n;
const NOW = Date.UTC(2026, 5, 1, 12);

const ending: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

const open = async (dir: string, { freeBytes = 5_000n * MIB, clock = new ManualClock(NOW) } = {}): Promise<Engine> => {
  const engine = await createEngine({
    folder: openDataFolder(dir),
    config: loadConfig({ flags: { port: 0 } }),
    log: createLog({ level: 'silent' }),
    passphrase: new Secret('correct horse'),
    scrypt: { N: 2, r: 1, p: 1 },
    clock,
    freeBytes: () => Promise.resolve(freeBytes),
  });
  ending.push(() => engine.stop());
  return engine;
};
const check = async (engine: Engine, name: string) => {
  const { ok, checks } = await engine.service.call('system.doctor', {});
  expect(ok).toBe(checks.every((one) => one.ok));
  // Whatever is wrong, the check says what to do.
  for (const one of checks) if (!one.ok) expect(one.fix, one.name).not.toBe('');
  return checks.find((one) => one.name === name);
};

/** A node of chain 31337 whose newest block, and whose own clock, tell these times (epoch ms). */
const node = async ({ block, date }: { block: number; date?: number }): Promise<string> => {
  const answers: Record<string, unknown> = {
    eth_chainId: '0x7a69',
    eth_blockNumber: '0x10',
    eth_getBlockByNumber: { number: '0x10', timestamp: `0x${Math.floor(block / 1000).toString(16)}` },
  };
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const { id, method } = JSON.parse(body) as { id: number; method: string };
      response.sendDate = false;
      if (date !== undefined) response.setHeader('date', new Date(date).toUTCString());
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] ?? null }));
    };
    void answer();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ending.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

test.each([
  [5_000n, true, '', '4 GiB'],
  [1_023n, true, 'Free space', '1023 MiB'],
  [99n, false, 'Free space', '99 MiB'],
])(
  'with %i MiB left on the disk the operator learns of it before decisions can no longer be stored',
  async (mib, ok, fix, room) => {
    const engine = await open(tempFolder(), { freeBytes: mib * MIB });
    expect(await check(engine, 'disk space')).toMatchObject({
      ok,
      detail: `${room} free`,
      fix: expect.stringContaining(fix) as string,
    });
  },
);

test.skipIf(process.platform === 'win32')(
  'files that others may read are named, with the commands that mend it',
  async () => {
    const dir = tempFolder();
    const engine = await open(dir);
    expect(await check(engine, 'data folder')).toMatchObject({ ok: true });
    chmodSync(dir, 0o755);
    chmodSync(`${dir}/vault.json`, 0o644);
    const found = await check(engine, 'data folder');
    const real = openDataFolder(dir).dir;
    expect(found).toMatchObject({ ok: false, fix: `Run: chmod 700 '${real}' && chmod 600 '${real}/vault.json'` });
    // The advice is looked at by following it.
    chmodSync(dir, 0o700);
    chmodSync(`${dir}/vault.json`, 0o600);
    expect(await check(engine, 'data folder')).toMatchObject({ ok: true });
    expect(statSync(`${dir}/gasdesk.db`).mode & 0o077).toBe(0);
  },
);

test('a desk without a backup, or with an old one, is advised to make one; that is no error', async () => {
  const clock = new ManualClock(Date.now());
  const engine = await open(tempFolder(), { clock });
  expect(await check(engine, 'backups')).toMatchObject({
    ok: true,
    fix: expect.stringContaining('gasdesk backup') as string,
  });
  await engine.service.call('backups.create', { passphrase: 'correct horse' });
  expect(await check(engine, 'backups')).toMatchObject({ ok: true, fix: '' });
  await clock.advance(40.5 * 24 * 60 * MINUTE);
  expect(await check(engine, 'backups')).toMatchObject({
    detail: 'The newest is 40 days old',
    fix: expect.stringContaining('gasdesk backup') as string,
  });
});

test.each([
  ['agrees with both', { block: NOW - 12_000, date: NOW }, true, 'In agreement'],
  ['a chain that idles, on a node whose clock agrees', { block: NOW - 60 * MINUTE, date: NOW }, true, 'In agreement'],
  [
    'a chain that idles, on a node that tells no time',
    { block: NOW - 60 * MINUTE },
    true,
    'The newest block is 1 hour old',
  ],
  ['a newest block from the future', { block: NOW + 61_000 }, false, 'validUntil'],
  [
    'a node whose clock is an hour further',
    { block: NOW - 12_000, date: NOW + 60 * MINUTE },
    false,
    '1 hour behind that of its node',
  ],
  ['a node whose clock is an hour back', { block: NOW - 60 * MINUTE, date: NOW - 60 * MINUTE }, false, 'validAfter'],
])('a clock that would make signatures worthless is found: %s', async (_what, times, ok, detail) => {
  const engine = await open(tempFolder());
  await engine.service.call('chains.set', { chainId: 31337, rpc: await node(times) });
  expect(await check(engine, 'clock and chain 31337')).toMatchObject({
    ok,
    detail: expect.stringContaining(detail) as string,
  });
});

test('a clock that was set back is detected by the decisions, also after a restart', async () => {
  const dir = tempFolder();
  const clock = new ManualClock(NOW);
  const store = openSqliteStore(`${dir}/gasdesk.db`, { clock, log: createLog({ level: 'silent' }) });
  await store.createAccount(account);
  await store.createDapp(paymaster());
  await store.appendDecision(decision({ at: NOW + 60 * MINUTE }));
  await store.close();
  const engine = await open(dir, { clock });
  const found = await check(engine, 'clock');
  expect(found).toMatchObject({
    ok: false,
    detail: expect.stringContaining('One decision is from the future') as string,
  });
  await clock.advance(60 * MINUTE);
  expect(await check(engine, 'clock')).toMatchObject({ ok: true });
});

test('a DApp that lacks a part is named with what it lacks, once another one is set up; that is no error', async () => {
  const dir = tempFolder();
  const clock = new ManualClock(NOW);
  const store = openSqliteStore(`${dir}/gasdesk.db`, { clock, log: createLog({ level: 'silent' }) });
  await store.createAccount(account);
  await store.createDapp(paymaster());
  await store.createDapp(paymaster({ paymasterId: 'dapp-2', name: 'Bazaar', version: 'singleton-0.7' }));
  await store.savePaymasterContract({
    chainId: 31337,
    version: '1.1.0',
    address: `0x${'11'.repeat(20)}`,
    checked: true,
  });
  await store.close();
  const engine = await open(dir, { clock });
  expect(await check(engine, 'DApp Game')).toMatchObject({
    ok: true,
    detail: 'Not ready: its signing key is missing',
    fix: expect.stringContaining('gasdesk signer create') as string,
  });
  await engine.service.call('signers.create', { chainId: 31337 });
  expect(await check(engine, 'DApp Game')).toMatchObject({
    detail: 'Not ready: its funding wallet is missing',
    fix: expect.stringContaining('gasdesk funding-wallet set') as string,
  });
  expect(await check(engine, 'DApp Bazaar')).toMatchObject({
    detail: 'Not ready: its paymaster contract is missing',
    fix: expect.stringContaining('--version singleton-0.7') as string,
  });
});

test('a contract that cannot be checked is not replaced on advice: what keeps it from being checked comes first', async () => {
  const dir = tempFolder();
  const store = openSqliteStore(`${dir}/gasdesk.db`, {
    clock: new ManualClock(NOW),
    log: createLog({ level: 'silent' }),
  });
  const address = `0x${'11'.repeat(20)}` as const;
  await store.savePaymasterContract({ chainId: 31337, version: '1.1.0', address, checked: true });
  await store.close();
  const engine = await open(dir);
  const name = 'contract 1.1.0 on chain 31337';
  await engine.service.call('chains.set', { chainId: 31337, rpc: 'http://127.0.0.1:9' });
  expect(await check(engine, name)).toMatchObject({
    ok: false,
    detail: 'The chain has no signer',
    fix: expect.stringContaining('gasdesk signer create --chain 31337') as string,
  });
  await engine.service.call('signers.create', { chainId: 31337 });
  expect(await check(engine, name)).toMatchObject({
    ok: false,
    detail: 'Not checked. The node of chain 31337 cannot be reached',
    fix: 'Resolve the other findings first, then run "gasdesk doctor" again.',
  });
});
