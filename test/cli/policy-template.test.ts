import { afterEach, beforeEach, expect, test } from 'vitest';
import { examples } from '../../src/cli/examples.ts';
import type { Engine } from '../../src/engine/index.ts';
import { type CliResult, gasdesk } from '../support/cli.ts';
import { quickEngine } from '../support/quick-engine.ts';
import { wordsOf } from '../support/shell-words.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();
let dir: string;
let engine: Engine;
let paymasterId: string;

beforeEach(async () => {
  dir = tempFolder();
  engine = await quickEngine(dir);
  const { service } = engine;
  const [account] = await service.call('accounts.list', {});
  const dapp = { accountId: account!.accountId, name: 'Game', type: 'HYBRID', chainId: 31_337, version: '1.1.0' };
  ({ paymasterId } = await service.call('paymasters.create', dapp));
  await engine.serve();
});
afterEach(() => engine.stop());

const ofDapp = (...args: string[]): Promise<CliResult> =>
  gasdesk(['policy', 'template', ...args, '--dapp', paymasterId, '--data', dir]);
const rules = async () =>
  (await engine.service.call('rules.list', { paymasterId })).map(({ name, when }) => [name, when !== undefined]);
const SUMMER = ['--set', 'name=Summer', '--set', 'id=summer', '--set', 'budget=500'];

test('templates are listed and explained without a desk', async () => {
  const listed = await gasdesk(['policy', 'template']);
  expect(listed).toMatchObject({ code: 0, stderr: '' });
  expect(listed.stdout).toMatch(
    /^campaign +Campaign .*\nonboarding .*\npeople .*\none-method .*\nnft-members .*\nweekend /m,
  );
  const { stdout } = await gasdesk(['policy', 'template', 'campaign']);
  expect(stdout).toContain('  budget              Total budget; must be given\n');
  expect((await gasdesk(['policy', 'template', 'people'])).stdout).toContain(
    '  days                In (days); default: 30\n',
  );
  expect(stdout).toContain('Remaining risks:\n- ');
  expect(await gasdesk(['policy', 'template', 'party'])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('"party" is not a template. The templates are: campaign, onboarding'),
  });
});

test('the examples of the help work', async () => {
  for (const line of examples['policy template'] ?? []) {
    const { code, stderr } = await gasdesk([...wordsOf(line), '--data', dir]);
    expect([code, stderr.replace(/^Chain 31337 has no price.*\n/, '')], line).toEqual([0, '']);
  }
});

test('a campaign is printed, shown, and made in one step', async () => {
  const printed = await ofDapp('campaign', ...SUMMER, '--print');
  expect(printed.stdout).toContain('rules:\n  - name: "Summer: budget"\n    type: PAYMASTER_SA_LIMIT\n    when: ');
  expect(printed.stderr).toBe(
    'Chain 31337 has no price of ETH: limits in US dollars deny every operation. ' +
      'Set one with "gasdesk chain set 31337 --usd AMOUNT".\n',
  );
  const refused = await ofDapp('campaign', ...SUMMER);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('Not applied. Run again with --yes') });
  expect(await rules()).toEqual([]);
  const coins = [...SUMMER, '--set', 'currency=NATIVE_ASSET'];
  const made = await ofDapp('campaign', ...coins, '--yes');
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(made.stdout).toContain(
    'Summer: budget: All users together may have gas for 500 ETH sponsored in total. Applies only to operations with the id "summer".\n',
  );
  expect(made.stdout).toMatch(/\n- Accounts are free: .*\n[^]*\n\+ .*"Summer: budget"[^]*\nApplied: sha256:/);
  expect(await rules()).toEqual([
    ['Summer: budget', true],
    ['Summer: no others', false],
  ]);
  const again = await ofDapp('campaign', ...coins, '--yes', '--expect', 'sha256:00000000');
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('any more: sha256:') });
});

test('invalid input is reported by field, and nothing is changed', async () => {
  const { code, stderr } = await ofDapp('campaign', '--set', 'name=Summer', '--set', 'budget=-1', '--yes');
  expect(code).toBe(2);
  expect(stderr).toContain('must be given\n');
  expect(stderr).toContain('budget (Total budget) must be a positive amount such as 0.5');
  const past = await ofDapp('campaign', ...SUMMER, '--set', 'until=2020-01-01', '--yes');
  expect(past).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('until (Until) ends the campaign at 2020-01-01 00:00 UTC, which is in the past.'),
  });
  const unknown = await ofDapp('weekend', '--set', 'days=2', '--yes');
  expect(unknown).toMatchObject({
    code: 2,
    stderr: 'gasdesk: "days" is not a field. The fields are: sponsored, message\n',
  });
  expect(await rules()).toEqual([]);
});
