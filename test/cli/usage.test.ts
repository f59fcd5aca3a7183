import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { version } from '../../src/engine/base/version.ts';
import { gasdesk, gasdeskInto } from '../support/cli.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();

/** Every command there is, as one types it. */
const COMMANDS = [
  'serve',
  'review',
  'dev',
  'demo',
  'account create',
  'account list',
  'token create',
  'token list',
  'token revoke',
  'dapp list',
  'dapp create',
  'dapp origins',
  'dapp expiry',
  'dapp sponsor',
  'dapp token-mode',
  'funding-wallet set',
  'funding-wallet message',
  'funding-wallet history',
  'keystore list',
  'keystore create',
  'keystore import',
  'keystore export',
  'keystore remove',
  'policy history',
  'policy show',
  'policy diff',
  'policy export',
  'policy apply',
  'policy template',
  'policy test',
  'policy try',
  'policy rehearse',
  'policy narrow',
  'policy worst-case',
  'pause',
  'resume',
  'webhook list',
  'webhook secret',
  'webhook test',
  'chain set',
  'chain list',
  'chain remove',
  'signer create',
  'signer import',
  'signer list',
  'vault status',
  'vault open',
  'vault passphrase',
  'signer prepare-next',
  'signer use-next',
  'signer drop-next',
  'contract deploy',
  'contract use',
  'contract list',
  'contract accept-signer',
  'contract remove-signer',
  'contract add-stake',
  'contract unlock-stake',
  'contract withdraw-stake',
  'contract reputation',
  'tank forget',
  'tank show',
  'tank deposit',
  'tank transactions',
  'tank withdraw',
  'tank threshold',
  'fee-token set',
  'fee-token list',
  'fee-token remove',
  'costs show',
  'costs statement',
  'decisions export',
  'decisions list',
  'decisions tail',
  'decisions receipt',
  'decisions proof',
  'decisions replay',
  'decisions report',
  'decisions show',
  'inspect',
  'notifications list',
  'notifications seen',
  'notifications webhook',
  'notifications secret',
  'notifications test',
  'backup',
  'restore',
  'database copy',
  'doctor',
  'log',
  'log export',
  'log key',
  'log list',
  'log accept-rollback',
  'log verify',
  'openapi',
  'config print',
  'config set',
  'config unset',
  'completion',
  'version',
];
/** They work on no data folder. */
const WITHOUT_DESK = ['completion', 'dev', 'version'];
const GROUPS = [...new Set(COMMANDS.filter((name) => name.includes(' ')).map((name) => name.split(' ')[0]!))];

/** Names under `Commands:` in a help text. */
const namesIn = (help: string): string[] =>
  (help.split('Commands:\n')[1] ?? '')
    .replace(/\n\n[^]*/, '')
    .split('\n')
    .map((line) => /^ {2}([\w-]+)/.exec(line)?.[1] ?? '')
    .filter((name) => name !== '' && name !== 'help');

it('prints its version', async () => {
  expect(await gasdesk(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

describe('--help', () => {
  it.concurrent('shows every command, so that none is found by reading the source only', async ({ expect }) => {
    const [top, ...groups] = await Promise.all(
      [[], ...GROUPS.map((name) => [name])].map((args) => gasdesk([...args, '--help'])),
    );
    const shown = namesIn(top!.stdout).flatMap((name) => {
      const group = GROUPS.indexOf(name);
      const children = group === -1 ? [] : namesIn(groups[group]!.stdout).map((child) => `${name} ${child}`);
      return COMMANDS.includes(name) ? [name, ...children] : children;
    });
    expect(shown.sort()).toEqual([...COMMANDS].sort());
  });

  it.concurrent.each(COMMANDS)('of %s says what it does and what it takes, and exits 0', async (name) => {
    const { code, stdout, stderr } = await gasdesk([...name.split(' '), '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: gasdesk ${name} [options]`);
    expect(stdout).toMatch(
      new RegExp(
        `Examples:\n  gasdesk ${name.replace('notifications list', 'notifications').replace('costs show', 'costs')}`,
      ),
    );
    const ofDesk = WITHOUT_DESK.includes(name) ? [] : ['--data <dir>', '--json', '--passphrase-file <file>'];
    for (const option of [...ofDesk, '--help']) expect(stdout).toContain(option);
  });
});

describe('bad usage', () => {
  const ADDRESS = `0x${'11'.repeat(20)}`;
  const feeToken = ['fee-token', 'set', '--chain', '31337', '--address', ADDRESS].concat(
    ['--symbol', 'USDC'],
    ['--decimals', '6'],
    ['--premium', '13'],
  );
  it.concurrent.each([
    ['no command', []],
    ['an unknown command', ['sevre']],
    ['an unknown command of a group', ['token', 'crate']],
    ['a group alone', ['token']],
    ['an unknown flag', ['account', 'list', '--jsn']],
    ['an unknown flag of serve', ['serve', '--prot', '1']],
    ['an argument too many', ['account', 'list', 'please']],
    ['an argument too few', ['token', 'revoke']],
    ['a flag without its value', ['account', 'create', '--name']],
    ['a missing flag', ['account', 'create']],
    ['an empty name', ['account', 'create', '--name', '']],
    ['a port that is no number', ['serve', '--port', 'http']],
    ['a port beyond 65535', ['serve', '--port', '65536']],
    ['a limit of nothing', ['decisions', 'list', '--limit', '0']],
    ['a limit beyond what one answer holds', ['decisions', 'list', '--limit', '1001']],
    ['an outcome there is not', ['decisions', 'list', '--outcome', 'maybe']],
    ['a chain id in hex', ['chain', 'set', '0x7a69']],
    ['a negative chain id', ['signer', 'create', '--chain', '-1']],
    ['a breaker without a time', ['chain', 'set', '1', '--breaker', '0.5']],
    ['a breaker of less than a minute', ['chain', 'set', '1', '--breaker', '0.5/59s']],
    ['a breaker of more than a week', ['chain', 'set', '1', '--breaker', '0.5/8d']],
    ['a breaker of nothing', ['chain', 'set', '1', '--breaker', '0/1h']],
    ['a budget and not what it is for', ['chain', 'set', '1', '--unreachable-budget', '0.05']],
    ['an unreachable node and no budget', ['chain', 'set', '1', '--unreachable', 'sign']],
    ['a budget to refuse', ['chain', 'set', '1', '--unreachable', 'refuse', '--unreachable-budget', '0.05']],
    ['a budget of nothing', ['chain', 'set', '1', '--unreachable', 'sign', '--unreachable-budget', '0']],
    ['a budget below nothing', ['chain', 'set', '1', '--unreachable', 'sign', '--unreachable-budget', '-1']],
    ['something else for an unreachable node', ['chain', 'set', '1', '--unreachable', 'maybe']],
    ['a URL that is none', ['chain', 'set', '31337', '--rpc', 'localhost:8545']],
    ['an address that is none', ['contract', 'use', '--chain', '31337', '--version', '1.1.0', '--address', '0x12']],
    ['a fee token without a rate', feeToken],
    ['a fee token with half its feeds', [...feeToken, '--native-feed', ADDRESS]],
    ['a fee token with two rates', [...feeToken, '--rate', '1', '--native-feed', ADDRESS, '--token-feed', ADDRESS]],
    ['a rate of nothing', [...feeToken, '--rate', '0']],
    ['a rate finer than the token', [...feeToken, '--rate', '0.0000001']],
    ['a premium that is none', [...feeToken, '--rate', '1', '--premium', '13%']],
    ['a version and no chain', ['contract', 'use', '--version', '1.1.0', '--address', ADDRESS]],
  ])('exits 2 for %s and says what is wrong', async (_what, args) => {
    const data = args.length > 1 ? ['--data', tempFolder()] : [];
    const { code, stdout, stderr } = await gasdesk([...args, ...data]);
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toBe('');
    expect(stderr).not.toMatch(/^ +at /m);
  });

  it('leaves nothing behind', async () => {
    const dir = tempFolder();
    await gasdesk(['account', 'create', '--data', join(dir, 'desk')]);
    expect(readdirSync(dir)).toEqual([]);
  });
});

it('an empty --data, as from an empty variable of a shell, is wrong usage', async () => {
  for (const args of [
    ['serve', '--data', ''],
    ['doctor', '--data='],
    ['dev', '--data', ''],
  ]) {
    const { code, stdout, stderr } = await gasdesk(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain("option '--data <dir>' argument '' is invalid. Name a folder.");
  }
});

it.runIf(existsSync('/dev/full'))('output that cannot be written is an error without a stack trace', () => {
  expect(gasdeskInto('/dev/full', ['version'])).toEqual({
    code: 1,
    stderr: 'gasdesk: Cannot write to standard output: ENOSPC: no space left on device, write\n',
  });
});
