import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Engine } from '../../src/engine/index.ts';
import { type CliResult, gasdesk } from '../support/cli.ts';
import { PASSPHRASE, quickEngine } from '../support/quick-engine.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();
const ITEMS = `0x${'17'.repeat(20)}`;
const TESTS = `
tests:
  - name: minting is sponsored
    operation: {calls: [{to: Items, method: mint(uint256), args: [1]}]}
    expect: sponsored
  - name: burning is not
    operation: {calls: [{to: Items, method: burn(uint256), args: [1]}]}
    expect: {denied: METHOD_NOT_WHITELISTED}
`;

describe.each([
  ['through a running service', true],
  ['on the files', false],
])('policies as files, %s', (_, served) => {
  let dir: string;
  let file: string;
  let engine: Engine | undefined;
  let paymasterId: string;

  beforeEach(async () => {
    dir = tempFolder();
    file = join(dir, 'policy.yaml');
    engine = await quickEngine(dir);
    const { service } = engine;
    const [account] = await service.call('accounts.list', {});
    const dapp = { accountId: account!.accountId, name: 'Game', type: 'HYBRID', chainId: 31_337, version: '1.1.0' };
    ({ paymasterId } = await service.call('paymasters.create', dapp));
    const abi = JSON.stringify(
      ['mint', 'burn'].map((name) => ({
        inputs: [{ type: 'uint256', name: 'id' }],
        name,
        outputs: [],
        stateMutability: 'nonpayable',
        type: 'function',
      })),
    );
    await service.call('contracts.create', {
      paymasterId,
      name: 'Items',
      address: ITEMS,
      abi,
      whitelistedMethods: ['mint'],
    });
    if (served) await engine.serve();
    else {
      await engine.stop();
      engine = undefined;
    }
  });
  afterEach(() => engine?.stop());

  const run = (...args: string[]): Promise<CliResult> =>
    gasdesk(
      ['policy', ...args, '--dapp', paymasterId, '--data', dir],
      served ? {} : { GASDESK_PASSPHRASE: PASSPHRASE },
    );
  const out = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  const json = async <T>(...args: string[]): Promise<T> => JSON.parse(await out(...args, '--json')) as T;
  const edit = (from: string, to: string): void => writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));

  test('a policy is exported, edited, shown, applied, and compared', async () => {
    const exported = await out('export');
    expect(exported).toContain(`
contracts:
  - name: Items
    address: "${ITEMS}"
    methods:
      - mint
    abi:
      - mint(uint256 id)
      - burn(uint256 id)
`);
    writeFileSync(file, exported + TESTS);
    expect(await out('apply', file, '--dry-run')).toBe(
      'No change.\nok    minting is sponsored\nok    burning is not\n2 of 2 tests pass.\n',
    );
    const limit = '{type: SMART_ACCOUNT, thresholdType: COUNT, threshold: 5, cycleDuration: {value: 1, unit: day}}';
    edit(
      'rules: []',
      `rules: # Per user, not per wallet\n  - {name: Per user, type: PAYMASTER_SA_LIMIT, data: ${limit}}`,
    );
    const text = readFileSync(file, 'utf8');

    const [before] = await json<{ revision: string }[]>('history');
    const planned = '+ spending limit "Per user": Each user may have 5 operations sponsored per day.';
    expect(await out('apply', file, '--dry-run')).toMatch(`${planned}\nok `);
    expect(await out('diff', before!.revision, before!.revision)).toBe('No difference.\n');
    const refused = await run('apply', file);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toBe('gasdesk: Not applied. Run again with --yes to apply the file, or with --dry-run\n');
    expect((await json<unknown[]>('history'))[0]).toEqual(before);

    const { applied, revision } = await json<{ applied: boolean; revision: string }>(
      'apply',
      file,
      '--yes',
      '--expect',
      before!.revision,
    );
    expect(applied).toBe(true);
    // Comments are the file's: applying writes nothing to it.
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(await out('diff', before!.revision, revision.slice(0, 15))).toBe(`${planned}\n`);
    expect(await out('history')).toMatch(
      new RegExp(`^revision .*\n${revision.slice(0, 19)} .*\\+ spending limit "Per user"`),
    );
    expect(await out('show')).toMatch(`# ${revision}, in force\n# The policy of Game.`);
    expect(await out('show', '--revision', before!.revision)).toMatch(`# ${before!.revision}\n`);
    expect(await out('apply', file, '--yes')).toMatch(/^No change\.\n[^]*Nothing to apply\.\n$/);

    expect(await json('export', '--into', file)).toEqual({ file, revision, changed: false });
    expect(readFileSync(file, 'utf8')).toBe(text);
    const copy = join(dir, 'copy.yaml');
    expect(await json('export', '--out', copy)).toEqual({ file: copy, revision });
    expect(readFileSync(copy, 'utf8')).toBe(await out('export'));
    writeFileSync(copy, '# edited');
    expect(await run('export', '--out', copy)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/already exists, .*\. To bring it up to date, use --into\n$/),
    });
    expect(readFileSync(copy, 'utf8')).toBe('# edited');
    expect((await run('export', '--out', copy, '--into', file)).stderr).toContain('cannot be used with option');
    edit('threshold: 5', 'threshold: 9');
    expect(await out('export', '--into', file)).toMatch(/changed +yes\n$/);
    expect(readFileSync(file, 'utf8')).toContain('# Per user, not per wallet');
    expect(await out('apply', file, '--dry-run')).toMatch(/^No change\./);

    const stale = await run('apply', file, '--yes', '--expect', before!.revision);
    expect({ code: stale.code, stderr: stale.stderr }).toEqual({
      code: 1,
      stderr: `gasdesk: The policy is not ${before!.revision} any more: ${revision} is in force\n`,
    });
  });

  test('a file whose tests fail is not applied, and says which', async () => {
    const before = await out('show');
    writeFileSync(file, (await out('export')) + TESTS.replace('METHOD_NOT_WHITELISTED', 'LIMIT_REACHED'));
    edit('lowBalance: null', 'lowBalance: 0.5');
    const { code, stdout } = await run('apply', file, '--yes');
    expect(code).toBe(1);
    expect(stdout).toContain(
      'fails burning is not: denied: METHOD_NOT_WHITELISTED instead of denied: LIMIT_REACHED. The operation calls burn',
    );
    expect(await out('show')).toBe(before);
  });

  test('an invalid file is reported with its name, line and column', async () => {
    writeFileSync(file, await out('export'));
    edit('rules:', '"rulez\\e[31m":');
    const { code, stderr } = await run('apply', file, '--yes');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^gasdesk: \S+policy\.yaml: line \d+, column 1: rules is required/);
    expect(stderr).toMatch(/^\S+policy\.yaml: line \d+, column 1: rulez\u{fffd}\[31m is not a field here\./mu);
  });
});

test('a file is tested without a desk; the exit code says whether its tests pass', async () => {
  const file = join(tempFolder(), 'policy.yaml');
  const policy = `version: 1
contracts: [{name: Items, address: "${ITEMS}", methods: [mint], abi: [mint(uint256 id), burn(uint256 id)]}]
rules: []
webhooks: []
allowedOrigins: ["*"]
`;
  writeFileSync(file, policy + TESTS);
  expect(await gasdesk(['policy', 'test', file])).toEqual({
    code: 0,
    stderr: '',
    stdout: 'ok    minting is sponsored\nok    burning is not\n2 of 2 tests pass.\n',
  });
  writeFileSync(file, policy + TESTS.replace('sponsored\n  - name', '{denied: LIMIT_REACHED}\n  - name'));
  const { code, stdout } = await gasdesk(['policy', 'test', file, '--json']);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject([{ passed: false, actual: 'sponsored' }, { passed: true }]);
  writeFileSync(file, Buffer.from([0x76, 0xff, 0xfe]));
  expect(await gasdesk(['policy', 'test', file])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: `gasdesk: ${file} is not UTF-8 text.\n`,
  });
});
