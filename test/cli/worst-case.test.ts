import { expect, test } from 'vitest';
import type { ProcedureOutput } from '../../src/api/index.ts';
import { gasdesk } from '../support/cli.ts';
import { codeOf, useOfflineDesk } from '../support/offline-desk.ts';

const desk = useOfflineDesk();

const run = async (paymasterId: string, ...args: string[]): Promise<string> => {
  const all = ['policy', 'worst-case', '--dapp', paymasterId, '--data', desk().dir, ...args];
  const { code, stdout, stderr } = await gasdesk(all);
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
  return stdout;
};

test('on a chain without an RPC URL nothing stops an attacker: the desk signs whatever is asked, until there is a limit', async () => {
  const dapp = await desk().dapp();
  const { paymasterId } = dapp;
  const unbound = JSON.parse(await run(paymasterId, '--json')) as ProcedureOutput<'policies.worstCase'>;
  expect(unbound.bounds.map(({ amountWei, stoppedBy }) => [amountWei, stoppedBy])).toEqual([
    [null, null],
    [null, null],
    [null, null],
  ]);
  const [volley] = unbound.bounds[0]!.attack.volleys;
  for (let account = 0; account < 20; account += 1) {
    const sender = `0x${String(account).padStart(2, '0').repeat(20)}`;
    expect(codeOf(await dapp.sponsor({ ...volley!.op, sender }))).toBe('SPONSORED');
  }

  await desk().limit(dapp, { name: 'All', thresholdType: 'COUNT', threshold: 5 });
  await desk().limit(dapp, { name: 'Each', type: 'SMART_ACCOUNT', thresholdType: 'COUNT', threshold: 1 });
  const lines = (await run(paymasterId)).split('\n');
  expect(lines.slice(0, 5)).toEqual([
    expect.stringMatching(/^An attacker with the API key can make you pay at most [\d.]+ ETH a day\.$/),
    '',
    expect.stringMatching(/^At once: 0\.\d+ ETH, then the spending limit "All" stops it\.$/),
    expect.stringMatching(/^In any hour: 0\.\d+ ETH, then the spending limit "All" stops it\.$/),
    expect.stringMatching(/^In any day: [\d.]+ ETH, then the spending limit "All" stops it\.$/),
  ]);
  expect(lines).toContain(
    'The spending limit "Each" stops no attacker: it counts each account, and new accounts are free.',
  );
  expect(lines.filter((line) => line.startsWith('- '))).not.toEqual([]);
});
