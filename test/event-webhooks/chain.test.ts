import { afterEach, expect, test } from 'vitest';
import { clientDapp } from '../support/client-world.ts';
import { useOperatorDesk } from '../support/operator-desk.ts';
import { RESERVED_WEI, gameCall, operation } from '../support/operations.ts';
import { sponsoredBundles } from '../support/sponsored-bundles.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { accept, eventOf, typesOf } from './desk-events.ts';

const world = useSponsoredWorld();
const desk = useOperatorDesk();
afterEach(async () => {
  for (const { service } of [world().engine, desk().engine()]) {
    for (const { webhookId } of await service.call('eventWebhooks.list', {}))
      await service.call('eventWebhooks.delete', { webhookId });
  }
});

test('an app learns that its operations were mined or reverted, what each cost, and in which block', async () => {
  const { engine, clock } = world();
  const dapp = await clientDapp(world(), '1.1.0');
  const { mineOne, settledCosts } = await sponsoredBundles(world(), dapp, 2, ['mint', 'unknown']);
  const receiver = await startReceiver(accept);
  const { paymasterId } = dapp;
  const events = ['operation.settled', 'operation.reverted'] as const;
  await engine.service.call('eventWebhooks.create', { paymasterId, url: receiver.url, events: [...events] });
  const before = await dapp.tankBalance();
  await mineOne();
  await settledCosts(2);
  await expect
    .poll(async () => {
      await clock.advance(1_000);
      return typesOf(receiver.calls).toSorted();
    })
    .toEqual(['operation.reverted', 'operation.settled']);
  const told = receiver.calls.map(eventOf);
  const block = await world().chain.provider.getBlockNumber();
  for (const { data } of told) expect(data).toMatchObject({ settlement: 'settled', block, outcome: 'sponsored' });
  expect(told.reduce((sum, { data }) => sum + BigInt(String(data['actualCostWei'])), 0n)).toBe(
    before - (await dapp.tankBalance()),
  );
  const decided = await dapp.decisions();
  expect(told.map(({ data }) => data['id']).toSorted()).toEqual(decided.map(({ id }) => id).toSorted());
});

test('an operator learns of a low tank, a tripped breaker and a silent node before users do', async () => {
  const { clock, chain, contracts, line } = desk();
  const { service } = desk().engine();
  const { chainId } = chain;
  await desk().attach('1.1.0');
  const dapp = await desk().dapp('1.1.0');
  // With several DApps on a chain, the breaker pauses one alone at half of the amount.
  await desk().dapp('1.1.0');
  const { paymasterId } = dapp;
  await desk().send({ kind: 'deposit', paymasterId, amountWei: String(10n * RESERVED_WEI) }, dapp.wallet);
  const receiver = await startReceiver(accept);
  const events = ['tank.low', 'breaker.tripped', 'node.unreachable'] as const;
  await service.call('eventWebhooks.create', { paymasterId, url: receiver.url, events: [...events] });
  const eventually = (expected: readonly string[]) =>
    expect
      .poll(async () => {
        await clock.advance(60_000);
        return typesOf(receiver.calls).toSorted();
      })
      .toEqual(expected);

  // What it reserves leaves less in the tank than ten operations cost, too.
  await service.call('chains.set', { chainId, breaker: { amountWei: String(2n * RESERVED_WEI), seconds: 3_600 } });
  for (const nonce of ['0x1', '0x2'])
    await dapp.sponsor(operation({ to: contracts.gameItems, data: gameCall('mint') }, { nonce }));
  await eventually(['breaker.tripped', 'tank.low']);
  await line.cut();
  await eventually(['breaker.tripped', 'node.unreachable', 'tank.low']);
  await line.mend();
  const told = new Map(receiver.calls.map((call) => [eventOf(call).type, eventOf(call).data]));
  expect(told.get('breaker.tripped')).toMatchObject({
    kind: 'breaker',
    subject: paymasterId,
    title: expect.stringMatching(/^The burn-rate breaker paused DApp/),
  });
  expect(told.get('tank.low')).toMatchObject({ kind: 'tankLow', subject: paymasterId });
  expect(told.get('node.unreachable')).toMatchObject({ kind: 'node', subject: String(chainId) });
});
