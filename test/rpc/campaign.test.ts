import { expect, test } from 'vitest';
import { templates } from '../../src/core/policy-file/templates/registry.ts';
import { startFromTemplate } from '../../src/core/policy-file/templates/start-from-template.ts';
import { defaultValues } from '../../src/core/policy-file/templates/template.ts';
import { FEE, gameCall, operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';

const world = useSponsoredWorld();
const CHAIN = '0x7a69';

const op = (): Record<string, unknown> =>
  operation(
    { to: world().contracts.gameItems, data: gameCall('mint') },
    { maxFeePerGas: `0x${(2n * FEE).toString(16)}` },
  );

/** Requests as clients of several services write them, each with a context of its own. */
const DIALECTS: readonly (readonly [dialect: string, method: string, (context: object) => unknown[]])[] = [
  ['Biconomy', 'pm_sponsorUserOperation', (context) => [op(), { mode: 'SPONSORED', ...context }]],
  ['ERC-7677', 'pm_getPaymasterData', (context) => [op(), world().contracts.entryPoint, CHAIN, context]],
  [
    'Alchemy',
    'alchemy_requestPaymasterAndData',
    (context) => [{ userOperation: op(), entryPoint: world().contracts.entryPoint, ...context }],
  ],
];

/** `SPONSORED`, or the code of the newest decision. */
const ask = async (dapp: SponsoredDapp, method: string, params: readonly unknown[]): Promise<string> => {
  const path = `/api/v2/31337/${dapp.apiKey}`;
  const { body } = await world().engine.post(path, { jsonrpc: '2.0', id: 1, method, params });
  const { code } = (await dapp.decisions())[0]!;
  const isSponsored = body.result !== undefined && body.result.paymasterAndData !== '0x';
  expect(code === 'SPONSORED', JSON.stringify(body)).toBe(isSponsored);
  return code;
};

test('a campaign made by the template sponsors what names it, in every dialect, until its user has had enough', async () => {
  const dapp = await world().dapp(10n ** 18n);
  const { paymasterId } = dapp;
  const { service } = world().engine;
  const campaign = templates.find(({ name }) => name === 'campaign')!;
  const { revision, text } = await service.call('policies.export', { paymasterId });
  const typed = { name: 'Summer', id: 'summer', currency: 'NATIVE_ASSET', budget: '1', operationsPerUser: '5' };
  const started = startFromTemplate(text, campaign, { ...defaultValues(campaign), ...typed }, 'ETH', Date.now());
  await service.call('policies.apply', { paymasterId, text: 'text' in started ? started.text : '', expect: revision });

  const [winter, summer, other] = [{ policyId: 'winter' }, { policyId: 'summer' }, { sponsorshipPolicyId: 'summer' }];
  for (const [dialect, method, params] of DIALECTS) {
    expect([dialect, await ask(dapp, method, params(winter))]).toEqual([dialect, 'CONDITION_NOT_MET']);
    expect([dialect, await ask(dapp, method, params(summer))]).toEqual([dialect, 'SPONSORED']);
  }
  // Alchemy's must have a policyId, and has no other.
  for (const [dialect, method, params] of DIALECTS.filter(([dialect]) => dialect !== 'Alchemy')) {
    expect([dialect, await ask(dapp, method, params({}))]).toEqual([dialect, 'CONDITION_NOT_MET']);
    expect([dialect, await ask(dapp, method, params(other))]).toEqual([dialect, 'SPONSORED']);
  }
  for (const [dialect, method, params] of DIALECTS) {
    expect([dialect, await ask(dapp, method, params(summer))]).toEqual([dialect, 'LIMIT_REACHED']);
  }
});
