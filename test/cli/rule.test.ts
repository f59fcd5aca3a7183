import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Engine } from '../../src/engine/index.ts';
import { examples } from '../../src/cli/examples.ts';
import { type CliResult, gasdesk } from '../support/cli.ts';
import { PASSPHRASE, quickEngine } from '../support/quick-engine.ts';
import { wordsOf } from '../support/shell-words.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();
let dir: string;
let engine: Engine;
let dapp: string;

beforeEach(async () => {
  dir = tempFolder();
  engine = await quickEngine(dir);
  const [account] = await engine.service.call('accounts.list', {});
  const { accountId } = account!;
  const made = { accountId, name: 'Game', type: 'HYBRID', chainId: 31_337, version: '1.1.0' };
  dapp = (await engine.service.call('paymasters.create', made)).paymasterId;
  await engine.serve();
});
afterEach(() => engine.stop());

const rule = (...args: string[]): Promise<CliResult> =>
  gasdesk(['rule', ...args, '--dapp', dapp, '--data', dir], { GASDESK_PASSPHRASE: PASSPHRASE });
const json = async (...args: string[]): Promise<unknown> => {
  const { code, stdout, stderr } = await rule(...args, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
};

test('a rule is added, listed, changed, paused and removed; --data is its data and not the folder', async () => {
  const data =
    '{"type":"SMART_ACCOUNT","thresholdType":"COUNT","threshold":5,"cycleDuration":{"value":1,"unit":"day"}}';
  const limit = ['--type', 'PAYMASTER_SA_LIMIT', '--name', 'Five a day', '--policy-data', data];
  const added = await json(
    'add',
    ...limit,
    '--when',
    'op.deploys',
    '--enforcement',
    'shadow',
    '--active-until',
    '2030-01-01',
  );
  expect(added).toMatchObject({
    name: 'Five a day',
    when: 'op.deploys',
    enforcement: 'shadow',
    activeUntil: 1893456000000,
  });
  const { _id: id } = added as { _id: string };
  const { stdout } = await rule('list');
  expect(stdout).toContain('Each user may have 5 operations sponsored per day. Applies when op.deploys.');
  expect(stdout).toContain('In shadow: it denies nothing.');
  const changed = await json('update', id, '--when', 'none', '--active-until', 'none', '--enforcement', 'enforce');
  for (const field of ['when', 'activeUntil', 'enforcement']) expect(changed).not.toHaveProperty(field);
  expect(await json('pause', id)).toEqual({ ruleId: id });
  expect(await json('list')).toMatchObject([{ _id: id, active: false }]);
  await json('unpause', id);
  await json('remove', id);
  expect(await json('list')).toEqual([]);
  const { code, stderr } = await rule('update', id, '--name', 'Gone');
  expect([code, stderr]).toEqual([1, expect.stringContaining('Paymaster policy not found')]);
});

test('a list of senders is read from a file, one per line or CSV', async () => {
  const [one, two] = ['aa', 'bb'].map((digits) => `0x${digits.repeat(20)}`);
  const file = join(dir, 'members.csv');
  writeFileSync(file, `name,address\nAnna,${one}\n`);
  const added = await json(
    'add',
    '--type',
    'SENDERS',
    '--name',
    'Members',
    '--policy-data',
    '{"mode":"ALLOW"}',
    '--senders',
    file,
  );
  expect(added).toMatchObject({ policyData: { mode: 'ALLOW', addresses: [one] } });
  const { _id: id } = added as { _id: string };
  writeFileSync(file, `${one}\n${two}\n`);
  expect(await json('update', id, '--senders', file)).toMatchObject({
    policyData: { mode: 'ALLOW', addresses: [one, two] },
  });
  writeFileSync(file, `${one}\nnobody\n`);
  const { code, stderr } = await rule('update', id, '--senders', file);
  expect([code, stderr]).toEqual([2, expect.stringContaining('line 2 contains no address: nobody')]);
});

test.each([
  ['data', '--policy-data', '@'],
  ['senders', '--senders', ''],
])('a file of %s that is missing is named', async (_what, option, mark) => {
  const file = join(dir, 'missing');
  const { code, stderr } = await rule('add', '--type', 'SENDERS', '--name', 'Missing', option, `${mark}${file}`);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^gasdesk: Cannot read the file .*missing: ENOENT/)]);
});

test('an invalid expression is reported', async () => {
  const data = '{"expression":"op.nothing > 1","message":"No."}';
  const { code, stderr } = await rule('add', '--type', 'CONDITION', '--name', 'C', '--policy-data', data);
  expect([code, stderr]).toEqual([2, expect.stringContaining('No such key: nothing')]);
});

test('the log says in words what was changed, by whom, and with --json exactly', async () => {
  const list = '{"mode":"ALLOW","addresses":["0x1111111111111111111111111111111111111111"]}';
  await json('add', '--type', 'SENDERS', '--name', 'Members', '--policy-data', list);
  const { stdout } = await gasdesk(['log', 'list', '--data', dir]);
  const [, ...lines] = stdout.split('\n');
  expect(lines[0]).toMatch(/^\d+ +[-\d]{10}T\S+Z +policy +- +Policy of DApp “Game” in force: sha256:[0-9a-f]{12}$/);
  expect(lines[1]).toMatch(/^\d+ +\S+ +action +Command line +Rule “Members” of DApp “Game” added$/);
  const entries = await gasdesk(['log', 'list', '--kind', 'action', '--limit', '1', '--json', '--data', dir]);
  expect(JSON.parse(entries.stdout)).toMatchObject([{ kind: 'action', body: { action: 'rules.create', via: 'cli' } }]);
});

test('the examples of the help do what they say', async () => {
  const file = join(tempFolder(), 'members.csv');
  writeFileSync(file, `0x${'11'.repeat(20)}\n`);
  for (const name of ['rule add', 'rule update', 'rule pause', 'rule unpause', 'rule remove']) {
    for (const line of examples[name] ?? []) {
      const words = wordsOf(line).map((word) => (word === 'members.csv' ? file : word));
      expect(await gasdesk([...words, '--data', dir], { GASDESK_PASSPHRASE: PASSPHRASE }), line).toMatchObject({
        code: 0,
        stderr: '',
      });
    }
  }
});
