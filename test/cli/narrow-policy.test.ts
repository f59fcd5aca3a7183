import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type CliResult, gasdesk } from '../support/cli.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { gameCall, gameItems, operation } from '../support/operations.ts';

const desk = useOfflineDesk();
const ITEMS = `0x${'17'.repeat(20)}` as const;

test('a policy is narrowed to what was sponsored, as a file that applies and denies none of it', async () => {
  const { dir, call } = desk();
  const { paymasterId, sponsor } = await desk().dapp();
  const contract = { name: 'Items', address: ITEMS, abi: gameItems.formatJson() };
  await call('contracts.create', { paymasterId, ...contract, whitelistedMethods: ['mint', 'burn'] });
  const policyData = {
    type: 'PAYMASTER',
    thresholdType: 'COUNT',
    threshold: '100',
    cycleDuration: { value: 1, unit: 'day' },
  };
  await call('rules.create', { paymasterId, rule: { name: 'Daily', policyType: 'PAYMASTER_SA_LIMIT', policyData } });
  const mint = (nonce: number) =>
    sponsor(operation({ to: ITEMS, data: gameCall('mint') }, { nonce: `0x${nonce.toString(16)}` }));
  const run = (...args: string[]): Promise<CliResult> =>
    gasdesk(['policy', ...args, '--dapp', paymasterId, '--data', dir]);

  expect((await run('narrow')).stdout).toContain('# 0 of 0 decisions sponsored an operation.');
  for (const nonce of [1, 2, 3]) await mint(nonce);
  const { code, stdout } = await run('narrow');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^# 3 of 3 decisions from .* sponsored an operation\.$/m);
  expect(stdout).toContain('# Tried on the same 3 decisions, it denies none of the sponsored operations.');
  expect(stdout).toMatch(/# mint was called 3 times, last on .*; never called: burn/);
  expect(stdout).toContain('# was 100; at most 3 of it was reached');

  const file = join(dir, 'narrow.yaml');
  expect((await run('narrow', '--out', file)).stdout).toContain(`Written to ${file}.`);
  expect(readFileSync(file, 'utf8')).toBe(stdout);
  expect(await run('narrow', '--out', file)).toMatchObject({ code: 1, stderr: expect.stringContaining('EEXIST') });
  expect((await run('apply', file, '--yes')).code).toBe(0);
  expect(JSON.parse((await run('narrow', '--json')).stdout)).toMatchObject({ changes: [], trial: { nowDenied: 0 } });
  expect((await mint(4)).body.result?.reason).toBeUndefined();
});
