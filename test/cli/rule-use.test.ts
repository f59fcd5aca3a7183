import { beforeAll, expect, test } from 'vitest';
import { timeWords } from '../../src/cli/human-text.ts';
import { gasdesk } from '../support/cli.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { gameCall, gameItems, operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';

const desk = useOfflineDesk();
const ITEMS = `0x${'17'.repeat(20)}` as const;

let dapp: SponsoredDapp;
let decidedAt: number;

beforeAll(async () => {
  dapp = await desk().dapp();
  const { paymasterId } = dapp;
  const contract = { name: 'Items', address: ITEMS, abi: gameItems.formatJson(), whitelistedMethods: ['mint'] };
  await desk().call('contracts.create', { paymasterId, ...contract });
  const policyData = { expression: 'op.deploys', message: 'No.' };
  const rule = { name: 'New accounts', policyType: 'CONDITION', policyData, enforcement: 'shadow' };
  await desk().call('rules.create', { paymasterId, rule });
  decidedAt = desk().clock.now();
  await dapp.sponsor(operation({ to: ITEMS, data: gameCall('mint') }));
});

const out = async (...args: string[]): Promise<string> => {
  const run = await gasdesk(['rule', ...args, '--dapp', dapp.paymasterId, '--data', desk().dir]);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  return run.stdout;
};

test('the last uses of contracts and rules are shown with their names, and with times as dates', async () => {
  const text = (await out('last-uses')).replaceAll(/\s+/g, ' ');
  const at = timeWords(decidedAt);
  expect(text).toContain('rule id name last at known since');
  for (const name of ['Items', 'New accounts']) expect(text).toContain(` ${name} ${at} ${at}`);
});

test('what a rule in shadow would have denied is shown with its name', async () => {
  const text = (await out('shadow-results')).replaceAll(/\s+/g, ' ');
  expect(text).toMatch(/^rule id name operations would deny users \S+ New accounts 1 1 1 $/);
});

test.each([
  ['last-uses', ['ruleId', 'lastAt', 'knownSince']],
  ['shadow-results', ['ruleId', 'operations', 'wouldDeny', 'users']],
])('with --json, %s prints the answer as it is', async (name, fields) => {
  for (const row of JSON.parse(await out(name, '--json')) as object[]) expect(Object.keys(row)).toEqual(fields);
});
