import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import type { Engine } from '../../src/engine/index.ts';
import { quickEngine } from '../support/quick-engine.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();
const chainId = 31_337;
const ITEMS = `0x${'17'.repeat(20)}` as const;

let dir: string;
let engine: Engine;
let paymasterId: string;

const register = async (name: string): Promise<string> => {
  const [account] = await engine.service.call('accounts.list', {});
  const dapp = { accountId: account!.accountId, name, type: 'HYBRID', chainId, version: '1.1.0' };
  return (await engine.service.call('paymasters.create', dapp)).paymasterId;
};

beforeEach(async () => {
  dir = tempFolder();
  engine = await quickEngine(dir);
  paymasterId = await register('Game');
});
afterEach(() => engine.stop());

const limit = (threshold: string) => ({
  name: 'Per user',
  policyType: 'PAYMASTER_SA_LIMIT',
  policyData: { type: 'SMART_ACCOUNT', thresholdType: 'COUNT', threshold, cycleDuration: { value: 1, unit: 'day' } },
});
const addLimit = (threshold = '5') => engine.service.call('rules.create', { paymasterId, rule: limit(threshold) });
const history = (id = paymasterId) => engine.service.call('policies.history', { paymasterId: id });
const exported = async (id = paymasterId) => (await engine.service.call('policies.export', { paymasterId: id })).text;
const apply = (text: string, expectRevision?: string, id = paymasterId) =>
  engine.service.call('policies.apply', {
    paymasterId: id,
    text,
    ...(expectRevision !== undefined && { expect: expectRevision }),
  });
const show = (id = paymasterId) => engine.service.call('policies.show', { paymasterId: id });

/** What changed, newest first, a line per revision. */
const told = async (id = paymasterId): Promise<(string | undefined)[]> =>
  (await history(id)).map(({ changes }) => changes?.map(({ change, text }) => `${change} ${text}`).join('; '));

describe('the history of a policy', () => {
  test('is complete for every other DApp while the policy of one cannot be hashed', async () => {
    const broken = {
      name: 'Broken',
      policyType: 'CONDITION',
      policyData: { expression: 'true', message: 'a surrogate' },
    };
    await engine.service.call('rules.create', { paymasterId, rule: broken });
    const others = await Promise.all(['Before', 'Other', 'Zoo'].map(register));
    await engine.stop();
    // As an earlier version took it.
    new Database(openDataFolder(dir).database)
      .exec(String.raw`UPDATE rule SET policy_data = replace(policy_data, 'a surrogate', '\ud800')`)
      .close();
    engine = await quickEngine(dir);
    await expect(show()).rejects.toThrow('surrogate');
    for (const other of others) {
      const { _id: ruleId } = await engine.service.call('rules.create', { paymasterId: other, rule: limit('5') });
      await engine.service.call('rules.delete', { paymasterId: other, ruleId });
      expect(await told(other)).toEqual([
        'removed spending limit "Per user": Each user may have 5 operations sponsored per day.',
        'added spending limit "Per user": Each user may have 5 operations sponsored per day.',
        undefined,
      ]);
    }
  });

  test('has each change of what decides as it is made, without any decision, and nothing twice', async () => {
    const { service } = engine;
    const { _id: ruleId } = await addLimit();
    await service.call('contracts.create', { paymasterId, name: 'Items', address: ITEMS, abi: '[]' });
    const hook = { paymasterId, webhookUrl: 'https://hooks.example/', requestType: 'POST' as const };
    await service.call('webhooks.create', hook);
    await service.call('rules.deactivate', { paymasterId, ruleId });
    await service.call('rules.deactivate', { paymasterId, ruleId });
    await service.call('paymasters.setOrigins', { paymasterId, origins: ['https://app.example'] });
    await service.call('tanks.setThreshold', { paymasterId, lowBalanceThresholdWei: '1000000000000000000' });
    await service.call('chains.set', { chainId, breaker: { amountWei: '1000000000000000000', seconds: 3600 } });
    await service.call('signers.create', { chainId });
    await service.call('system.pause', { reason: 'Keys' });
    await service.call('accounts.list', {});

    const { signer } = (await show()).policy;
    expect(await told()).toEqual([
      'changed pause: none → all sponsorship (Keys)',
      `changed signer: none → ${signer!}`,
      'changed burn-rate breaker: none → 1 ETH per 1 hour',
      'changed low balance: the cost of twenty operations → 1 ETH',
      'changed allowed origins: * → https://app.example',
      'changed spending limit "Per user": paused',
      'added webhook POST https://hooks.example/: It must verify each operation.',
      `added contract Items: methods none on ${ITEMS}`,
      'added spending limit "Per user": Each user may have 5 operations sponsored per day.',
      undefined,
    ]);
  });

  test('lists a policy again that comes back, and survives a restart', async () => {
    const before = (await show()).revision;
    await engine.service.call('paymasters.setMaxExpiry', { paymasterId, seconds: 600 });
    await engine.service.call('paymasters.setMaxExpiry', { paymasterId, seconds: 3600 });
    const listed = await history();
    expect(listed.map(({ revision }) => revision === before)).toEqual([true, false, true]);

    await engine.stop();
    engine = await quickEngine(dir);
    expect(await history()).toEqual(listed);
  });

  test('keeps the policies of another DApp apart', async () => {
    const other = await register('Shop');
    await addLimit();
    expect(await told(other)).toEqual([undefined]);
    const { revision } = (await history())[0]!;
    await expect(engine.service.call('policies.show', { paymasterId: other, revision })).rejects.toMatchObject({
      code: 'POLICY_REVISION_NOT_FOUND',
    });
  });

  test('shows and compares revisions by the beginning of their names', async () => {
    await addLimit();
    const [newest, oldest] = (await history()).map(({ revision }) => revision) as [string, string];
    const short = oldest.slice('sha256:'.length).slice(0, 12);
    expect(await engine.service.call('policies.show', { paymasterId, revision: short })).toMatchObject({
      revision: oldest,
      isInForce: false,
      policy: { rules: [] },
    });
    const { changes } = await engine.service.call('policies.diff', { paymasterId, from: newest, to: short });
    expect(changes).toMatchObject([{ change: 'removed', text: expect.stringContaining('"Per user"') }]);
  });
});

const FILE = `# Why: the launch
version: 1
contracts:
  - name: Items
    address: "${ITEMS}"
    methods: [mint] # burn comes later
    abi: [mint(uint256 amount), burn(uint256 id)]
rules:
  - name: Per user
    type: PAYMASTER_SA_LIMIT
    data: {type: SMART_ACCOUNT, thresholdType: COUNT, threshold: 5, cycleDuration: {value: 1, unit: day}}
webhooks: []
lowBalance: 0.5
allowedOrigins: ["https://app.example"]
tests:
  - name: minting is sponsored
    operation: {calls: [{to: Items, method: mint(uint256), args: [1]}]}
    expect: sponsored
  - name: burning is not
    operation: {calls: [{to: Items, method: burn(uint256), args: [1]}]}
    expect: {denied: METHOD_NOT_WHITELISTED}
`;

describe('a file that is applied', () => {
  test('is one revision, which decides at once', async () => {
    const { before, revision, changes, tests } = await apply(FILE);
    expect(before).not.toBe(revision);
    expect(changes.map(({ text }) => text)).toEqual([
      `contract Items: methods mint on ${ITEMS}`,
      'spending limit "Per user": Each user may have 5 operations sponsored per day.',
      'low balance: the cost of twenty operations → 0.5 ETH',
      'allowed origins: * → https://app.example',
    ]);
    expect(tests.map(({ passed }) => passed)).toEqual([true, true]);
    expect((await history()).map((one) => one.revision)).toEqual([revision, before]);
    expect((await show()).revision).toBe(revision);
    const listed = await engine.service.call('paymasters.list', {});
    expect(listed[0]).toMatchObject({ allowedOrigins: ['https://app.example'] });
    expect(await engine.service.call('rules.list', { paymasterId })).toHaveLength(2);
    expect(await apply(FILE)).toMatchObject({ before: revision, revision, changes: [] });
  });

  test('keeps the id and the windows of a limit that it does not change, and restarts a changed one', async () => {
    await addLimit('5');
    const before = (await show()).policy.rules[0]!;
    await apply(FILE);
    expect((await show()).policy.rules).toEqual([before]);
    await apply(FILE.replace('threshold: 5', 'threshold: 6'));
    expect((await show()).policy.rules).toMatchObject([
      { ruleId: before.ruleId, cycle: 1, policyData: { threshold: '6' } },
    ]);
  });

  test('is the same policy for another DApp, apart from ids', async () => {
    await apply(FILE);
    const other = await register('Shop');
    await apply(await exported(), undefined, other);
    expect(await exported(other)).toBe((await exported()).replace('The policy of Game', 'The policy of Shop'));
  });

  test('is refused where another revision is in force, or a test fails, and changes nothing then', async () => {
    const { revision } = await show();
    await addLimit('5');
    const now = await show();
    await expect(apply(FILE, revision)).rejects.toMatchObject({ code: 'POLICY_CHANGED' });
    await expect(apply(FILE.replace('expect: sponsored', 'expect: {denied: LIMIT_REACHED}'))).rejects.toMatchObject({
      code: 'POLICY_TESTS_FAILED',
      message: 'The test "minting is sponsored" fails: sponsored instead of denied: LIMIT_REACHED. Nothing was changed',
    });
    expect(await show()).toEqual(now);
    expect(await apply(FILE, now.revision.slice(0, 20))).toMatchObject({ before: now.revision });
  });

  test('changes nothing when it is planned', async () => {
    const before = await show();
    const { revision, changes } = await engine.service.call('policies.plan', { paymasterId, text: FILE });
    expect(revision).toBe(before.revision);
    expect(changes).toHaveLength(4);
    expect(await show()).toEqual(before);
  });

  test('is tested while the desk is paused as at any time', async () => {
    await engine.service.call('system.pause', {});
    expect((await apply(FILE)).tests.map(({ passed }) => passed)).toEqual([true, true]);
  });
});

describe('the credentials of a webhook', () => {
  const url = 'https://user:s3cret@hooks.example/verify';
  const create = () => engine.service.call('webhooks.create', { paymasterId, webhookUrl: url, requestType: 'POST' });

  test('stand in no export, diff or history, and apply leaves them as they are', async () => {
    await create();
    const policyData = { url };
    const rule = { name: 'Ask', policyType: 'WEBHOOK', policyData };
    await engine.service.call('rules.create', { paymasterId, rule });
    const before = await show();
    const text = await exported();
    expect(text).toContain('url: https://hooks.example/verify\n');
    expect(JSON.stringify([text, before, await history()])).not.toContain('s3cret');
    expect((await apply(text)).changes).toEqual([]);
    expect(await show()).toEqual(before);
  });

  test('are refused in a file', async () => {
    const text = (await exported()).replace('webhooks: []', `webhooks: [{url: "${url}"}]`);
    await expect(apply(text)).rejects.toMatchObject({
      code: 'POLICY_FILE_INVALID',
      message:
        'line 9, column 13: webhooks[0].url must contain no user name, password, query value or key: set the URL in the console, and write [secret] here in place of each value and key. Applying the file then keeps the stored values',
    });
  });
});

test('the example in the documents is applied as it stands, and comes back as it says', async () => {
  const example = readFileSync(join(import.meta.dirname, '../../docs/examples/policy.yaml'), 'utf8');
  const { changes, tests } = await apply(example);
  expect(changes).toHaveLength(7);
  expect(tests).toHaveLength(5);
  expect((await apply(example)).changes).toEqual([]);
});
