import { expect, test } from 'vitest';
import type { ProcedureOutput } from '../../src/api/index.ts';
import { templates } from '../../src/core/policy-file/templates/registry.ts';
import { startFromTemplate } from '../../src/core/policy-file/templates/start-from-template.ts';
import { defaultValues } from '../../src/core/policy-file/templates/template.ts';
import type { TypedValues } from '../../src/core/rules/field.ts';
import { codeOf, useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';

const desk = useOfflineDesk();
const DAY_MS = 86_400_000;

let nonce = 0;
const op = (): Record<string, unknown> =>
  operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' }, { nonce: `0x${(nonce += 1).toString(16)}` });

const ask = async (dapp: SponsoredDapp, context: Record<string, unknown> = {}): Promise<string> =>
  codeOf(await dapp.sponsor(op(), context));
const summer = { policyId: 'summer' };

const makeCampaign = async ({ paymasterId }: SponsoredDapp, typed: TypedValues): Promise<void> => {
  const campaign = templates.find(({ name }) => name === 'campaign')!;
  const { revision, text } = await desk().call<ProcedureOutput<'policies.export'>>('policies.export', { paymasterId });
  const values = { ...defaultValues(campaign), name: 'Summer', id: 'summer', ...typed };
  const started = startFromTemplate(text, campaign, values, 'ETH', desk().clock.now());
  if ('errors' in started) throw new Error(JSON.stringify(started.errors));
  await desk().call('policies.apply', { paymasterId, text: started.text, expect: revision });
};

test('before and after its dates a campaign is denied; other operations continue', async () => {
  const dapp = await desk().dapp();
  const today = desk().clock.now();
  const [from, until] = [today + DAY_MS, today + 2 * DAY_MS].map((at) => new Date(at).toISOString());
  const times = { from: from!, until: until! };
  await makeCampaign(dapp, { currency: 'NATIVE_ASSET', budget: '1', only: 'no', ...times });
  const both = async () => [await ask(dapp, summer), await ask(dapp)];
  expect(await both()).toEqual(['CONDITION_NOT_MET', 'SPONSORED']);
  await desk().clock.sleep(DAY_MS);
  expect(await both()).toEqual(['SPONSORED', 'SPONSORED']);
  await desk().clock.sleep(DAY_MS);
  expect(await both()).toEqual(['CONDITION_NOT_MET', 'SPONSORED']);
});

test('a campaign in dollars counts them at the price of the coin, and denies without one', async () => {
  const dapp = await desk().dapp();
  await makeCampaign(dapp, { budget: '10' });
  const one = () => ask(dapp, summer);
  expect(await one()).toBe('PRICE_UNKNOWN');
  await desk().call('chains.set', { chainId: 31_337, price: { source: 'static', usd: '3000' } });
  // 5.32 dollars each.
  expect([await one(), await one()]).toEqual(['SPONSORED', 'LIMIT_REACHED']);
});

test('a policy that was changed meanwhile is not overwritten', async () => {
  const { paymasterId, ...dapp } = await desk().dapp();
  const { text, revision } = await desk().call<ProcedureOutput<'policies.export'>>('policies.export', { paymasterId });
  await makeCampaign({ paymasterId, ...dapp }, { budget: '1' });
  await expect(desk().call('policies.apply', { paymasterId, text, expect: revision })).rejects.toMatchObject({
    code: 'POLICY_CHANGED',
  });
});
