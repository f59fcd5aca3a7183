import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { HDNodeWallet } from 'ethers';
import { expect, test } from 'vitest';
import type { Caller } from '../../src/api/index.ts';
import { entryKinds } from '../../src/core/log/entry.ts';
import { copyIntoDatabase } from '../../src/engine/backup/database-copy.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { Secret } from '../../src/engine/base/secret.ts';
import { version } from '../../src/engine/base/version.ts';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { SCHEMA_VERSION } from '../../src/engine/store/schema-version.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import { everyEntry } from '../log/every-entry.ts';
import { type OfflineDesk, useOfflineDesk } from '../support/offline-desk.ts';
import { gameCall, gameItems, operation } from '../support/operations.ts';
import { accountOf, backend, voucherFor } from '../support/people.ts';
import { findPostgres, startPostgres } from '../support/postgres.ts';
import { type Expected, FILES, LIMIT, fixtureFolder, sqlOf } from './fixtures.ts';
import { listsOf, outcomesOf } from './look.ts';

const CHAIN_ID = 31337;
const PACKED = 'singleton-0.7';
const ENTRY_POINT_06 = '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789';
const ENTRY_POINT_07 = '0x0000000071727De22E5E9d8BAf0edAc6f37da032';
const TOKEN: Address = `0x${'70'.repeat(20)}`;

const desk = useOfflineDesk();
const wallet = HDNodeWallet.fromPhrase('test test test test test test test test test test test junk');

let nonce = 1_000;
const nextOperation = (): Record<string, unknown> => {
  nonce += 1;
  return operation({ to: `0x${'aa'.repeat(20)}`, data: gameCall('mint') }, { nonce: `0x${nonce.toString(16)}` });
};

/** Decisions of every dialect: sponsored and denied, paid for in tokens, and of a person. */
const everyDialect = async ({ engine, dapp: newDapp, call }: OfflineDesk): Promise<void> => {
  await call('feeTokens.set', {
    ...{ chainId: CHAIN_ID, address: TOKEN, symbol: 'USDX', decimals: 6, premium: '5' },
    rate: { source: 'static', tokensPerCoin: '3000' },
  });
  await call('paymasterContracts.use', { chainId: CHAIN_ID, version: PACKED, address: `0x${'07'.repeat(20)}` });
  const packed = await engine().dapp({ version: PACKED, fundingWallet: wallet });
  const plain = await newDapp();
  const chainId = `0x${CHAIN_ID.toString(16)}`;
  const contract = { name: 'Items', address: `0x${'ee'.repeat(20)}`, abi: gameItems.formatJson() };
  for (const isAllowed of [true, false]) {
    for (const [{ apiKey, paymasterId }, entryPoint] of [
      [plain, ENTRY_POINT_06],
      [packed, ENTRY_POINT_07],
    ] as const) {
      // A contract that is registered denies calls of all others.
      if (!isAllowed) await call('contracts.create', { paymasterId, ...contract });
      const ask = (method: string, ...params: readonly unknown[]) =>
        engine().post(`/api/v1/${CHAIN_ID}/${apiKey}`, { jsonrpc: '2.0', id: 1, method, params });
      const { initCode: _, ...unpacked } = nextOperation();
      const op = () =>
        entryPoint === ENTRY_POINT_07 ? { ...unpacked, nonce: nextOperation()['nonce'] } : nextOperation();
      await ask('pm_sponsorUserOperation', op(), entryPoint);
      await ask('pm_getPaymasterData', op(), entryPoint, chainId, { mode: 'SPONSORED' });
      await ask('pm_sponsorUserOperation', op(), { mode: 'SPONSORED' });
      await ask('pm_sponsorUserOperation', op(), { mode: 'ERC20', tokenInfo: { feeTokenAddress: TOKEN } });
    }
  }
  const people = await newDapp();
  const policyData = { source: 'VOUCHER', signer: backend.address };
  await call('rules.create', {
    paymasterId: people.paymasterId,
    rule: { name: 'People', policyType: 'IDENTITY', policyData },
  });
  const sender = accountOf(1);
  const expiresAt = Math.floor(desk().clock.now() / 1_000) + 3_600;
  const voucher = await voucherFor({ paymasterId: people.paymasterId, sender, subject: 'ada', expiresAt });
  await people.sponsor({ ...nextOperation(), sender }, { voucher });
  await people.sponsor({ ...nextOperation(), sender });
};

/** Settings of every kind, each with what is kept in the vault. */
const everySetting = async (call: Caller, paymasterId: string): Promise<string> => {
  const [account] = await call('accounts.list', {});
  const accountId = account?.accountId ?? '';
  await call('accounts.create', { name: 'Second account' });
  await call('apiKeys.create', { paymasterId, label: 'Web' });
  await call('eventWebhooks.create', { paymasterId, url: 'https://127.0.0.1:9/events' });
  await call('alerts.create', { kind: 'slack', url: 'https://127.0.0.1:9/alerts' });
  await call('notifications.setWebhook', { url: 'https://127.0.0.1:9/notifications' });
  await call('keystores.create', { label: 'Funds', password: 'correct horse' });
  await call('signers.prepareNext', { chainId: CHAIN_ID });
  await call('paymasters.setSponsor', { paymasterId, icon: 'https://game.example/icon.png', isTold: true });
  await call('paymasters.pause', { paymasterId: (await call('paymasters.list', {})).at(-1)?.paymasterId ?? '' });
  const { authToken } = await call('authTokens.create', { accountId, label: 'Reports', scope: 'manage' });
  return authToken;
};

const dumpOf = async (dir: string): Promise<string> => {
  const programs = findPostgres();
  const server = await startPostgres();
  try {
    const url = await server.createDatabase();
    await copyIntoDatabase({ dir, url: new Secret(url), clock: desk().clock, log: createLog({ level: 'silent' }) });
    const dump = execFileSync(join(programs ?? '', 'pg_dump'), ['--inserts', '--no-owner', '--no-privileges', url], {
      encoding: 'utf8',
    });
    return dump.replaceAll(/^\\(?:un)?restrict .*\n/gm, '');
  } finally {
    await server.stop();
  }
};

const NOTE =
  'All keys, tokens and passwords here were made for tests; the passphrase of the vault is "correct horse battery staple". Never use them.';

test('writes the fixture of this version', async () => {
  const folder = fixtureFolder(version);
  // A release is never changed.
  expect(existsSync(folder), `${folder} exists`).toBe(false);
  const call: Caller = (name, input) => desk().call(name, input);
  await everyEntry(desk());
  const own = await desk().dapp();
  await everyDialect(desk());
  const ruleId = await desk().limit(own, { thresholdType: 'COUNT', threshold: LIMIT, type: 'SMART_ACCOUNT' });
  await call('rules.updateLimit', { paymasterId: own.paymasterId, ruleId, update: { threshold: LIMIT } });
  const authToken = await everySetting(call, own.paymasterId);
  await own.sponsor(nextOperation());
  const { note } = (await call('log.checkpoint', {})) as { note: string };
  const { entries } = await call('log.state', {});
  const found: string[] = [];
  while (found.length < entries) {
    const page = await call('log.page', { from: found.length });
    found.push(...page.map(({ text }) => (JSON.parse(text) as { kind: string }).kind));
  }
  const kinds = Object.fromEntries(entryKinds.map((kind) => [kind, found.filter((one) => one === kind).length]));
  // Only a desk that was rolled back has the other kind.
  expect(entryKinds.filter((kind) => kinds[kind] === 0)).toEqual(['reset']);
  const expected: Expected = {
    note: NOTE,
    schema: SCHEMA_VERSION,
    at: desk().clock.now(),
    entries,
    ...(await outcomesOf(call)),
    kinds,
    lists: await listsOf(call),
    authToken,
    apiKey: own.apiKey,
    paymasterId: own.paymasterId,
    fundingWallet: own.fundingWallet,
  };
  await desk().restart(async () => {
    const { dir } = desk();
    mkdirSync(join(folder, FILES.folder, 'keystores'), { recursive: true });
    const { vault, config, logEnd } = openDataFolder(dir);
    for (const [file, name] of [
      [vault, 'vault.json'],
      [config, 'gasdesk.json'],
      [logEnd, 'log-end'],
    ] as const)
      if (existsSync(file)) copyFileSync(file, join(folder, FILES.folder, name));
    for (const name of readdirSync(join(dir, 'keystores')))
      copyFileSync(join(dir, 'keystores', name), join(folder, FILES.folder, 'keystores', name));
    writeFileSync(join(folder, FILES.sqlite), gzipSync(sqlOf(join(dir, 'gasdesk.db'))));
    writeFileSync(join(folder, FILES.postgres), gzipSync(await dumpOf(dir)));
    writeFileSync(join(folder, FILES.checkpoint), note);
    writeFileSync(join(folder, FILES.expected), `${JSON.stringify(expected, null, 2)}\n`);
  });
});
