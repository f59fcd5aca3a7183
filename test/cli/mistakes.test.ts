import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { version } from '../../src/engine/base/version.ts';
import { type CliResult, gasdesk } from '../support/cli.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { makeTempFolder, removeTempFolder, useTempFolders } from '../support/temp-folder.ts';

const desk = useOfflineDesk();
const tempFolder = useTempFolders();

/** Where the machine keeps the data of applications. */
const home = makeTempFolder();
beforeAll(() => symlinkSync(desk().dir, join(home, 'gasdesk')));
afterAll(() => removeTempFolder(home));

/** Runs a command on the desk as it is typed, without `--data`. */
const run = (...args: string[]): Promise<CliResult> => gasdesk(args, { XDG_DATA_HOME: home });

const register = async (...names: string[]): Promise<void> => {
  for (const name of names) expect((await run('dapp', 'create', '--name', name, '--chain', 'Local')).code).toBe(0);
};

beforeAll(async () => {
  await desk().dapp();
  await desk().call('chains.set', { chainId: 31337, name: 'Local' });
  await register('Pixel Bazaar', 'Pixel Arcade', 'Game Items');
  expect(
    (
      await run(
        'rule',
        'add',
        '--dapp',
        'Game Items',
        '--type',
        'SENDERS',
        '--name',
        'Members',
        '--policy-data',
        '{"mode":"ALLOW","addresses":["0x1111111111111111111111111111111111111111"]}',
      )
    ).stderr,
  ).toBe('');
});

/** What people type, and what they should read. Exit code 2: wrong usage; 1: failed. */
const MISTAKES: readonly (readonly [what: string, args: readonly string[], code: number, answer: RegExp])[] = [
  ['a command in wrong letters', ['decison', 'list'], 2, /unknown command 'decison'\n\(Did you mean decisions\?\)/],
  ['a subcommand in wrong letters', ['decisions', 'lsit'], 2, /unknown command 'lsit'\n\(Did you mean list\?\)/],
  [
    'an option in wrong letters',
    ['decisions', 'list', '--limt', '5'],
    2,
    /unknown option '--limt'\n\(Did you mean --limit\?\)/,
  ],
  [
    'an option in wrong letters, without which a required one is missing',
    ['dapp', 'create', '--nmae', 'New', '--chain', 'Local'],
    2,
    /^error: unknown option '--nmae'\n\(Did you mean --name\?\)\n\(use --help for usage\)\n$/,
  ],
  [
    'a subcommand that does not exist, and is like no other',
    ['vault', 'create'],
    2,
    /unknown command 'create'\n\(commands: status, open, passphrase; use --help for usage\)/,
  ],
  ['an option before a command that does not exist', ['--json', 'decison', 'list'], 2, /\(Did you mean decisions\?\)/],
  ['an unknown option before the command', ['--dta', '.', 'serve'], 2, /unknown option '--dta'/],
  ['an option without a command', ['--json'], 2, /Usage: gasdesk \[options\] \[command\]/],
  ['a group without a subcommand', ['rule'], 2, /Commands:\n {2}list/],
  ['an option without its value', ['decisions', 'list', '--dapp'], 2, /argument missing/],
  [
    'a chain that is not known',
    ['dapp', 'create', '--name', 'New', '--chain', '999'],
    1,
    /Chain ID not supported\. To add the chain, run: gasdesk chain set CHAIN_ID --rpc URL/,
  ],
  [
    'the name of another DApp',
    ['dapp', 'create', '--name', 'Pixel Arcade', '--chain', 'Local'],
    1,
    /The account has another DApp with this name\. Choose another name, or see: gasdesk dapp list/,
  ],
  [
    'a version that does not exist',
    ['dapp', 'create', '--name', 'New', '--chain', 'Local', '--version', '1.1'],
    1,
    /Paymaster version not supported\. The versions are: 1\.0\.0, 1\.1\.0, .*, parallel-0\.9\n/,
  ],
  [
    'a version that no contract has',
    ['contract', 'use', '--chain', '31337', '--version', '1.1', '--address', `0x${'11'.repeat(20)}`],
    1,
    /Paymaster version not supported\. The versions are: 1\.0\.0, .*, parallel-0\.9, 1\.1\.0-token\n/,
  ],
  ['no DApp', ['policy', 'show'], 2, /required option '--dapp <dapp>' not specified/],
  [
    'a DApp that does not exist',
    ['pause', '--dapp', 'zzz'],
    1,
    /No DApp has the name or id "zzz".* See: gasdesk dapp list/,
  ],
  [
    'a name that fits two DApps',
    ['pause', '--dapp', 'pixel'],
    2,
    /"pixel" fits more than one DApp:\n {2}\S+ {2}Pixel \w+\n {2}\S+ {2}Pixel \w+\n/,
  ],
  ['two letters of a name', ['pause', '--dapp', 'Ga'], 1, /No DApp has the name or id "Ga"/],
  [
    'a rule that does not exist',
    ['rule', 'pause', 'Memers', '--dapp', 'Game Items'],
    1,
    /No rule .*"Memers".* See: gasdesk rule list --dapp DAPP/,
  ],
  [
    'an API key that does not exist',
    ['api-key', 'revoke', 'web', '--dapp', 'Game Items'],
    1,
    /No API key .*See: gasdesk api-key list/,
  ],
  [
    'a decision that does not exist',
    ['decisions', 'show', 'nonsense'],
    1,
    /No decision has the name or id "nonsense".*See: gasdesk decisions list/,
  ],
  ['a webhook that does not exist', ['webhook', 'secret', 'nothing'], 1, /No webhook .*See: gasdesk webhook list/],
  [
    'an event webhook that does not exist',
    ['event-webhook', 'remove', 'nothing'],
    1,
    /No event webhook .*See: gasdesk event-webhook list/,
  ],
  ['an alert that does not exist', ['alert', 'test', 'nothing'], 1, /No alert .*See: gasdesk alert list/],
  [
    'an account that does not exist',
    ['token', 'create', '--label', 'a', '--account', 'zzz'],
    1,
    /No account .*See: gasdesk account list/,
  ],
  [
    'a transaction that does not exist',
    ['tank', 'forget', 'abc'],
    1,
    /No transaction .*See: gasdesk tank transactions/,
  ],
  [
    'a chain that does not exist',
    ['signer', 'create', '--chain', 'bsae'],
    1,
    /No chain .*"bsae".*See: gasdesk chain list/,
  ],
  ['a chain id in hexadecimal', ['signer', 'create', '--chain', '0x7a69'], 2, /Use a whole number from 1/],
  ['a chain, and nothing to set', ['chain', 'set', '31337'], 2, /Nothing to set\. .*gasdesk chain list/],
  [
    'a scope that does not exist',
    ['token', 'create', '--label', 'a', '--scope', 'all'],
    2,
    /Allowed choices are read, manage, dapp\./,
  ],
  [
    'a time in seconds',
    ['decisions', 'list', '--from', '1769869800'],
    2,
    /This looks like seconds\. Use epoch milliseconds\./,
  ],
  ['a day that does not exist', ['decisions', 'list', '--from', '2026-02-30'], 2, /Use a time such as 2026-01-31/],
  [
    'an outcome that does not exist',
    ['decisions', 'list', '--outcome', 'refused'],
    2,
    /Allowed choices are sponsored, denied, error\./,
  ],
  ['a limit of nothing', ['decisions', 'list', '--limit', '0'], 2, /Use a whole number from 1 to 1000\./],
  [
    'data that is not JSON',
    ['rule', 'add', '--dapp', 'Game Items', '--type', 'SENDERS', '--name', 'a', '--policy-data', '{"mode":'],
    2,
    /--policy-data must be a JSON object/,
  ],
  [
    'a policy file that does not exist',
    ['policy', 'apply', 'polcy.yaml', '--dapp', 'Game Items'],
    1,
    /Cannot read the file polcy\.yaml/,
  ],
  [
    'a setting that a running service cannot change',
    ['config', 'set', 'port', 'abc'],
    1,
    /port cannot be changed here\. Edit .*gasdesk\.json and restart/,
  ],
  ['a setting that does not exist', ['config', 'set', 'prot', '1'], 1, /prot is not a setting\. Did you mean port\?/],
  [
    'a setting that is like no other',
    ['config', 'set', 'budget', '1'],
    1,
    /budget is not a setting\. The settings are: .*\bport\b/,
  ],
  ['a log that does not exist', ['log', 'verify', 'lgo.jsonl'], 1, /Cannot read lgo\.jsonl: ENOENT: no such file/],
  ['a shell that does not exist', ['completion', 'powershell'], 2, /Allowed choices are bash, zsh, fish\./],
];

describe('a mistake is answered by what to do instead', () => {
  it.each(MISTAKES)('%s', async (_what, args, code, answer) => {
    const { stdout, stderr, ...ended } = await run(...args);
    expect({ stdout, ...ended }, stderr).toEqual({ stdout: '', code });
    expect(stderr).toMatch(answer);
    expect(stderr).not.toMatch(/^ +at /m);
  });

  it('a folder that does not exist is not created', async () => {
    const data = join(tempFolder(), 'dsek');
    const commands = [
      ['decisions', 'list'],
      ['doctor'],
      ['policy', 'show', '--dapp', 'Game Items'],
      ['config', 'print'],
      ['database', 'copy', '--to', 'postgres://127.0.0.1:1/desk'],
    ];
    for (const args of commands) {
      const { code, stdout, stderr } = await gasdesk([...args, '--data', data]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain(`No desk is in ${data}. Check --data, or start a desk there with: gasdesk serve`);
    }
    expect(existsSync(data)).toBe(false);
  });

  it('no service to follow', async () => {
    const { code, stderr } = await gasdesk(['decisions', 'tail', '--data', tempFolder()]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('Start it with: gasdesk serve') });
  });
});

describe('what was a mistake works', () => {
  it.each(['--version', '-V', 'version'])('%s prints the version', async (word) => {
    expect(await gasdesk([word])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it.each([
    ['the name of a DApp', ['--dapp', 'Pixel Bazaar']],
    ['the name in other letters', ['--dapp', 'pixel bazaar']],
    ['the beginning of a name', ['--dapp', 'pixel b']],
    ['the word that the management interface has for a DApp', ['--paymaster', 'Pixel Bazaar']],
    ['the same, with =', ['--paymaster=Pixel Bazaar']],
  ])('%s', async (_what, args) => {
    const { code, stdout, stderr } = await run('policy', 'show', ...args, '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Pixel Bazaar');
  });

  it.each([
    [['--json', '--data', join(home, 'gasdesk'), 'dapp', 'list']],
    [[`--data=${join(home, 'gasdesk')}`, 'dapp', 'list', '--json']],
    [['--json', '--data', home, 'dapp', 'list', '--data', join(home, 'gasdesk')]],
  ])('options of every command before its name: %s', async (args) => {
    const list = await run('dapp', 'list', '--json');
    expect(list.stdout).toContain('Pixel Bazaar');
    expect(await gasdesk(args)).toEqual(list);
  });

  it('the group "paymaster", and the data of a rule as --data', async () => {
    expect((await run('paymaster', 'list')).stdout).toBe((await run('dapp', 'list')).stdout);
    const { code, stderr } = await run(
      'rule',
      'update',
      'Members',
      '--dapp',
      'Game Items',
      '--data',
      '{"mode":"DENY","addresses":["0x1111111111111111111111111111111111111111"]}',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('the beginning of an id, and the name of a rule', async () => {
    const [{ paymasterId }] = JSON.parse((await run('dapp', 'list', '--json')).stdout) as [{ paymasterId: string }];
    expect((await run('rule', 'list', '--dapp', paymasterId.slice(0, 8))).code).toBe(0);
    const paused = await run('rule', 'pause', 'members', '--dapp', 'Game Items', '--json');
    expect(JSON.parse(paused.stdout)).toEqual({ ruleId: expect.stringMatching(/^[\da-f-]{36}$/) });
  });

  it('a chain by its name', async () => {
    const { stdout } = await run('signer', 'list', '--json');
    expect(stdout).toContain('31337');
    expect((await run('fee-token', 'list', '--chain', 'local')).code).toBe(0);
  });
});

describe('a token is as safe as it can be unless more is asked for', () => {
  it('reads, for 90 days', async () => {
    const days = (at: number): number => Math.round((at - Date.now()) / 86_400_000);
    const made = JSON.parse((await run('token', 'create', '--label', 'reports', '--json')).stdout) as {
      expiresAt: number;
    };
    expect(made).toMatchObject({ scope: 'read', label: 'reports' });
    expect(days(made.expiresAt)).toBe(90);
  });

  it('needs no label', async () => {
    const made: unknown = JSON.parse((await run('token', 'create', '--json')).stdout);
    expect(made).toMatchObject({ scope: 'read', label: '' });
  });

  it('and lasts only if that is said', async () => {
    const asked = ['token', 'create', '--label', 'shop', '--scope', 'manage', '--expires', 'never', '--json'];
    expect(JSON.parse((await run(...asked)).stdout)).toMatchObject({ scope: 'manage', expiresAt: null });
  });
});
