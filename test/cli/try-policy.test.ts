import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { TrialReport } from '../../src/core/trial/try-policy.ts';
import { type CliResult, gasdesk } from '../support/cli.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { gameCall, gameItems, operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';

const desk = useOfflineDesk();
const ITEMS = `0x${'17'.repeat(20)}` as const;

let dapp: SponsoredDapp;
let file: string;
let halfway: number;

/** A policy file; with `perUser`, it has a limit of that many operations per user and day. */
const write = (methods: string, perUser?: number): void => {
  const cycle = 'cycleDuration: {value: 1, unit: day}';
  const limit = `{type: SMART_ACCOUNT, thresholdType: COUNT, threshold: ${perUser}, ${cycle}}`;
  const rules = perUser === undefined ? '[]' : `[{name: Per user, type: PAYMASTER_SA_LIMIT, data: ${limit}}]`;
  const abi = JSON.stringify(gameItems.format());
  const contract = `{name: Items, address: "${ITEMS}", methods: [${methods}], abi: ${abi}}`;
  writeFileSync(file, `version: 1\ncontracts: [${contract}]\nrules: ${rules}\nwebhooks: []\nallowedOrigins: ["*"]\n`);
};

beforeAll(async () => {
  dapp = await desk().dapp();
  const contract = { name: 'Items', address: ITEMS, abi: gameItems.formatJson(), whitelistedMethods: ['mint'] };
  await desk().call('contracts.create', { paymasterId: dapp.paymasterId, ...contract });
  file = join(desk().dir, 'draft.yaml');
  let nonce = 0;
  const ask = async (method: 'mint' | 'burn', digits: string): Promise<void> => {
    const overrides = { sender: `0x${digits.repeat(20)}`, nonce: `0x${(nonce += 1).toString(16)}` };
    await dapp.sponsor(operation({ to: ITEMS, data: gameCall(method) }, overrides));
  };
  for (const sender of ['a1', 'a1', 'a1', 'b2', 'b2']) await ask('mint', sender);
  await desk().clock.advance(60_000);
  halfway = desk().clock.now();
  await ask('burn', 'c3');
  await ask('mint', 'c3');
  // It fails before it is decided: no decision.
  await dapp.sponsor(operation({ to: ITEMS, data: gameCall('mint') }), { expiryDuration: 1_000_000 });
});

const run = (...args: string[]): Promise<CliResult> =>
  gasdesk(['policy', 'try', file, '--dapp', dapp.paymasterId, '--data', desk().dir, ...args]);
const out = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await run(...args);
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
  return stdout;
};
const json = async (...args: string[]): Promise<TrialReport> => JSON.parse(await out(...args, '--json')) as TrialReport;

test('the DApp may be given by its name', async () => {
  write('mint');
  const dapps = (await desk().call('paymasters.list', {})) as { paymasterId: string; name: string }[];
  const { name = '' } = dapps.find(({ paymasterId }) => paymasterId === dapp.paymasterId) ?? {};
  const result = await gasdesk(['policy', 'try', file, '--dapp', name, '--data', desk().dir, '--json']);
  expect(result).toMatchObject({ code: 0, stderr: '' });
});

test('what a record lacks can be assumed, and is said and counted apart', async () => {
  const rule =
    '{name: Cheap, type: PAYMASTER_SA_LIMIT, data: {type: OPERATION, thresholdType: USD, threshold: 0.000001}}';
  write('mint');
  writeFileSync(file, readFileSync(file, 'utf8').replace('rules: []', `rules: [${rule}]`));
  const lacking = await out();
  expect(lacking).toContain('6 could not be evaluated: the price of the coin was not read at the time.');
  expect(lacking).toContain('--assume price');
  expect((await json()).assumed).toBeUndefined();
  expect(await run('--assume', 'price')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Today's price cannot be assumed: no price is set for the chain"),
  });
  await desk().call('chains.set', { chainId: 31337, price: { source: 'static', usd: '3000' } });
  onTestFinished(async () => void (await desk().call('chains.set', { chainId: 31337, price: null })));
  expect(await json('--assume', 'price')).toMatchObject({
    decisions: 7,
    same: 1,
    unknown: 0,
    nowDenied: 0,
    assumed: { decisions: 6, nowDenied: 6, same: 0, by: { price: 6 }, usd: '3000' },
  });
  expect(await out('--assume', 'price', 'webhook')).toContain(
    'Not counted above: assuming that one ETH cost $3000, on 6 further decisions this would have denied 6 operations',
  );
});

describe('a policy file is tried on past decisions', () => {
  test('a sentence says what it would have done, and tables which decisions, by which rules', async () => {
    write('mint, burn', 1);
    const lines = (await out()).split('\n');
    expect(lines[0]).toMatch(
      /^On these 7 decisions this would have denied 4 operations of 3 users, sponsored 1 operation of 1 user, and saved 0\.0\d+ ETH\.$/,
    );
    expect(lines[2]).toMatch(/^id +from +to +code +rule$/);
    expect(lines[3]).toMatch(/^\S+ +sponsored +denied +LIMIT_REACHED +spendingLimit$/);
    expect(lines[6]).toMatch(/^\S+ +denied +sponsored +METHOD_NOT_WHITELISTED +contracts$/);
    expect(lines.slice(9)).toEqual([
      'rule           now sponsored  now denied',
      'spendingLimit  0              4',
      'contracts      1              0',
      '',
    ]);
  });

  test('the JSON document has every field, and the decisions that flip', async () => {
    write('mint, burn', 2);
    const report = await json();
    const [first] = (await dapp.decisions())
      .filter(({ outcome }) => outcome !== 'error')
      .toReversed()
      .slice(2);
    expect(Object.keys(report)).toEqual([
      'decisions',
      'same',
      'nowSponsored',
      'nowDenied',
      'unknown',
      'unknownBy',
      'costWei',
      'senders',
      'byRule',
      'flips',
    ]);
    expect(report).toMatchObject({
      decisions: 7,
      same: 5,
      nowSponsored: 1,
      nowDenied: 1,
      unknown: 0,
      senders: { nowSponsored: 1, nowDenied: 1 },
      byRule: { spendingLimit: { nowDenied: 1 }, contracts: { nowSponsored: 1 } },
    });
    expect(report.costWei.after).toBe(report.costWei.before);
    expect(report.flips[0]).toEqual({
      id: first!.id,
      from: 'sponsored',
      to: 'denied',
      code: 'LIMIT_REACHED',
      rule: 'spendingLimit',
    });
  });

  test('a part of the decisions is chosen by time or number, failed requests not counted', async () => {
    write('mint, burn', 2);
    expect(await json('--from', String(halfway))).toMatchObject({ decisions: 2, nowSponsored: 1, nowDenied: 0 });
    expect(await json('--to', String(halfway))).toMatchObject({ decisions: 5, nowSponsored: 0, nowDenied: 1 });
    expect(await json('--last', '3')).toMatchObject({ decisions: 3, same: 2, nowSponsored: 1 });
    expect(await json('--last', '2', '--to', String(halfway))).toMatchObject({ decisions: 2, same: 2 });
    expect(await out('--to', '0')).toBe('There are no decisions to try it on.\n');
  });

  test('the policy in force changes nothing, and trying changes no policy', async () => {
    write('mint');
    const before = await desk().call('policies.history', { paymasterId: dapp.paymasterId });
    expect(await out()).toBe('On these 7 decisions this would have changed nothing.\n');
    expect(await desk().call('policies.history', { paymasterId: dapp.paymasterId })).toEqual(before);
  });

  test('a webhook that was never asked is unknown', async () => {
    write('mint');
    writeFileSync(
      file,
      'version: 1\ncontracts: []\nrules: []\nwebhooks: [{url: "https://hooks.example"}]\nallowedOrigins: []\n',
    );
    expect(await out()).toBe(
      'On these 7 decisions this would have changed none that could be evaluated.\n' +
        '7 could not be evaluated: a webhook was not called at the time.\n' +
        'With --assume webhook, they are evaluated under an assumption.\n',
    );
  });

  test('an invalid file is reported with its name', async () => {
    writeFileSync(file, 'version: 2\n');
    const { code, stderr } = await run();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^gasdesk: \S+draft\.yaml: line 1, column 1: version must be 1\n/);
  });
});
