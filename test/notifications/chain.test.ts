import { beforeAll, expect, test } from 'vitest';
import type { NotificationKind, NotificationView } from '../../src/api/notifications.ts';
import { useOperatorDesk } from '../support/operator-desk.ts';
import { RESERVED_WEI, gameCall, operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';

const desk = useOperatorDesk();
beforeAll(async () => {
  await desk().attach('1.1.0');
});

const service = () => desk().engine().service;

const told = async (...kinds: NotificationKind[]): Promise<NotificationView[]> =>
  (await service().call('notifications.list', {})).notifications.filter(({ kind }) => kinds.includes(kind));
const toldOfTank = async ({ paymasterId }: SponsoredDapp): Promise<NotificationView[]> =>
  (await told('tankLow', 'tankEmpty')).filter(({ page }) => page === `/dapps/${paymasterId}/tank`);
/** Lets a minute pass at each look, until the notifications are as they should be. */
const eventually = (now: () => Promise<NotificationView[]>, expected: unknown): Promise<void> =>
  expect
    .poll(
      async () => {
        await desk().clock.advance(60_000);
        return now();
      },
      { timeout: 20_000 },
    )
    .toEqual(expected);
const isTold = (rest: Record<string, unknown>): unknown => expect.objectContaining({ endedAt: null, ...rest });
const isOver = (rest: Record<string, unknown>): unknown =>
  expect.objectContaining({ endedAt: expect.any(Number), ...rest });
let nonces = 0;
const mint = async (dapp: SponsoredDapp): Promise<string | undefined> => {
  const op = operation({ to: desk().contracts.gameItems, data: gameCall('mint') }, { nonce: `0x${(nonces += 1)}` });
  return (await dapp.sponsor(op)).body.result?.reason?.code;
};

test('a tank is reported when it runs low, when it is empty and when it is filled again, once each', async () => {
  const dapp = await desk().dapp('1.1.0');
  const { paymasterId } = dapp;
  const now = () => toldOfTank(dapp);
  const fill = (amount: bigint) =>
    desk().send({ kind: 'deposit', paymasterId, amountWei: String(amount) }, dapp.wallet);
  await eventually(now, [isTold({ kind: 'tankEmpty' })]);
  // It is looked at often, and reported once.
  for (let minute = 0; minute < 3; minute += 1) await desk().clock.advance(60_000);
  await fill(10n * RESERVED_WEI);
  await mint(dapp);
  await eventually(now, [isTold({ kind: 'tankLow' }), isOver({ kind: 'tankEmpty' })]);
  await fill(10n * RESERVED_WEI);
  await desk().clock.advance(60_000);
  // Above what is low by less than a tenth: reservations come and go.
  await fill(RESERVED_WEI);
  await desk().clock.advance(60_000);
  expect((await now())[0]?.endedAt).toBeNull();
  await desk().restart();
  await fill(10n * RESERVED_WEI);
  await eventually(now, [isOver({ kind: 'tankLow' }), isOver({ kind: 'tankEmpty' })]);
});

test('a node that does not answer is reported at the second look, and when it is back', async () => {
  await eventually(() => told('node'), []);
  await desk().line.cut();
  await eventually(
    () => told('node'),
    [isTold({ title: 'The node of Local chain does not answer', page: '/settings' })],
  );
  await desk().clock.advance(60_000);
  expect(await told('node')).toHaveLength(1);
  await desk().line.mend();
  await eventually(() => told('node'), [isOver({ title: 'The node of Local chain does not answer' })]);
});

test('a tripped breaker is reported as such, and is over when sponsorship is resumed', async () => {
  const { chainId } = desk().chain;
  const dapp = await desk().dapp('1.1.0');
  // Of several DApps on a chain, one that comes to half of the amount is paused alone.
  await desk().dapp('1.1.0');
  await desk().send(
    { kind: 'deposit', paymasterId: dapp.paymasterId, amountWei: String(9n * RESERVED_WEI) },
    dapp.wallet,
  );
  await service().call('chains.set', { chainId, breaker: { amountWei: String(2n * RESERVED_WEI), seconds: 3_600 } });
  expect([await mint(dapp), await mint(dapp)]).toEqual([undefined, 'BURN_RATE_EXCEEDED_BY_DAPP']);
  await expect
    .poll(() => told('breaker', 'paused'))
    .toEqual([
      isTold({
        kind: 'breaker',
        title: expect.stringMatching(/^The burn-rate breaker paused DApp \d+$/),
        body: expect.stringContaining('Burn-rate breaker: its operations on Local chain exceeded'),
      }),
    ]);
  await service().call('paymasters.resume', { paymasterId: dapp.paymasterId });
  await expect.poll(() => told('breaker', 'paused')).toEqual([isOver({ kind: 'breaker' })]);
});

test('an operator learns before bundlers throttle a contract that its operations are not mined, and when that is over', async () => {
  const SIGNED = 90;
  const { chain, clock } = desk();
  await service().call('chains.set', { chainId: chain.chainId, breaker: null });
  await service().call('config.set', { key: 'outstandingSharePercent', value: 100 });
  const dapp = await desk().dapp('1.1.0');
  const { paymasterId } = dapp;
  const amountWei = String(BigInt(SIGNED) * RESERVED_WEI);
  await desk().send({ kind: 'deposit', paymasterId, amountWei }, dapp.wallet);
  const reputation = () => service().call('reputation.get', { chainId: chain.chainId, version: '1.1.0' });
  const before = await reputation();
  for (let signed = 0; signed < SIGNED; signed += 1) expect(await mint(dapp)).toBeUndefined();
  // Operations that may still be mined do not count.
  expect(await reputation()).toMatchObject({ opsSeen: before.opsSeen, status: 'good' });
  expect(await told('reputation')).toEqual([]);

  const expired = Math.ceil(clock.now() / 1_000) + 300 + 150;
  await chain.provider.send('evm_setNextBlockTimestamp', [expired]);
  await chain.provider.send('evm_mine', []);
  await clock.advance(450_000);
  const seen = async (): Promise<number> => {
    await clock.advance(60_000);
    return (await reputation()).opsSeen;
  };
  await expect.poll(seen).toBeGreaterThanOrEqual(SIGNED);
  // The standing is looked at every hour.
  await clock.advance(3_600_000);
  const isTooFew = {
    title: 'Bundlers may refuse operations of the paymaster contract 1.1.0',
    body: expect.stringContaining('0 were mined'),
    page: '/settings',
  };
  await eventually(() => told('reputation'), [isTold(isTooFew)]);
  // It warns before a bundler throttles.
  expect(await reputation()).toMatchObject({ status: 'atRisk', opsIncluded: 0 });
  // A bundler forgets a part of its counts every hour.
  clock.setBack(-13 * 3_600_000);
  await clock.advance(3_600_000);
  await eventually(() => told('reputation'), [isOver(isTooFew)]);
  expect(await reputation()).toMatchObject({ status: 'good' });
});
