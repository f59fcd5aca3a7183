import { expect, test } from 'vitest';
import type { Address } from '../../src/shared/schema/hex.ts';
import { clientDapp } from '../support/client-world.ts';
import { backend, voucherFor } from '../support/people.ts';
import { sponsoredBundles } from '../support/sponsored-bundles.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';

const world = useSponsoredWorld();

test('a person pays from their budget what the operations of all their accounts cost, not what they might have cost', async () => {
  const { engine, chain, clock } = world();
  const { service } = engine;
  const dapp = await clientDapp(world(), '1.1.0');
  const { paymasterId, apiKey } = dapp;
  const person = { policyType: 'IDENTITY', policyData: { source: 'VOUCHER', signer: backend.address } } as const;
  await service.call('rules.create', { paymasterId, rule: { name: 'People', ...person } });
  const policyData = {
    type: 'SUBJECT',
    thresholdType: 'NATIVE_ASSET',
    threshold: '1',
    cycleDuration: { value: 1, unit: 'lifetime' },
  };
  const budget = { name: 'Budget', policyType: 'PAYMASTER_SA_LIMIT', policyData };
  await service.call('rules.create', { paymasterId, rule: budget });

  let anyone: Address | undefined;
  const contextOf = async (sender: Address, subject: string) => {
    const expiresAt = Math.floor(clock.now() / 1000) + 3_600;
    return { voucher: await voucherFor({ paymasterId, chainId: chain.chainId, sender, subject, expiresAt }) };
  };
  const ofAda = {
    ...dapp,
    async sponsor(op: Record<string, unknown>) {
      const sender = op['sender'] as Address;
      anyone = sender;
      return dapp.sponsor(op, await contextOf(sender, 'ada'));
    },
  };
  const usedBy = async (subject: string): Promise<bigint> => {
    const params = [{ sender: anyone, context: await contextOf(anyone!, subject) }];
    const request = { jsonrpc: '2.0', id: 1, method: 'gasdesk_getAllowance', params };
    const { body } = await engine.post(`/api/v1/${chain.chainId}/${apiKey}`, request);
    const { limits } = body.result as unknown as { limits: { used: string }[] };
    return BigInt(limits[0]!.used);
  };

  const { mineOne, settledCosts } = await sponsoredBundles(world(), ofAda, 2);
  const before = await dapp.tankBalance();
  await mineOne();
  const reserved = await usedBy('ada');
  await settledCosts(2);
  const cost = before - (await dapp.tankBalance());
  expect(await usedBy('ada')).toBe(cost);
  expect(cost).toBeGreaterThan(0n);
  expect(reserved).toBeGreaterThan(cost);
  expect(await usedBy('grace')).toBe(0n);
});
