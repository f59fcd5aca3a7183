import { HDNodeWallet } from 'ethers';
import { beforeEach, expect, test } from 'vitest';
import type { ProcedureOutput } from '../../src/api/index.ts';
import { codeOf, useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';

const desk = useOfflineDesk({ settlementPollMs: 1_000 });
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const wallet = HDNodeWallet.fromPhrase('test test test test test test test test test test test junk');

let dapp: SponsoredDapp;
let nonce = 0;
const ask = async (): Promise<string> =>
  codeOf(await dapp.sponsor(operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' }, { nonce: (nonce += 1) })));
beforeEach(async () => {
  // Whatever the test before has signed is past.
  await desk().clock.advance(4 * HOUR);
  dapp = await desk().dapp();
});

test('a limit that is used up stays so in its window, and no window gives more than its limit', async () => {
  await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 2, hours: 1 });
  expect([await ask(), await ask(), await ask()]).toEqual(['SPONSORED', 'SPONSORED', 'LIMIT_REACHED']);
  // Before the limit was made there is no window to go back to.
  desk().clock.setBack(HOUR);
  expect(await ask()).toBe('LIMIT_REACHED');
  await desk().clock.advance(HOUR + 61 * MINUTE);
  expect([await ask(), await ask(), await ask()]).toEqual(['SPONSORED', 'SPONSORED', 'LIMIT_REACHED']);
  // The window before this one was used up as well.
  desk().clock.setBack(HOUR);
  expect(await ask()).toBe('LIMIT_REACHED');
});

test('what is signed stays reserved until its own time is past, and then counts as spent, once', async () => {
  expect(await ask()).toBe('SPONSORED');
  const [signed] = await dapp.decisions();
  desk().clock.setBack(HOUR);
  await desk().restart();
  await desk().clock.advance(50 * MINUTE);
  expect((await dapp.decisions())[0]).toMatchObject({ id: signed!.id, settlement: 'reserved' });
  const reserved = await desk().call<ProcedureOutput<'exposure.get'>>('exposure.get', {});
  expect(JSON.stringify(reserved)).toContain(signed!.maxCostWei);
  await desk().clock.advance(HOUR);
  await expect.poll(async () => (await dapp.decisions())[0]?.settlement).toBe('unconfirmed');
});

test('decisions keep their order and none is lost, though their times do not rise; doctor says so', async () => {
  expect(await ask()).toBe('SPONSORED');
  desk().clock.setBack(HOUR);
  expect(await ask()).toBe('SPONSORED');
  const decisions = await dapp.decisions();
  expect(decisions).toHaveLength(2);
  expect(decisions[0]!.seq).toBeGreaterThan(decisions[1]!.seq);
  expect(decisions[0]!.at).toBeLessThan(decisions[1]!.at);
  const { ok, checks } = await desk().call<ProcedureOutput<'system.doctor'>>('system.doctor', {});
  expect(ok).toBe(false);
  expect(checks.find(({ name }) => name === 'clock')).toMatchObject({
    ok: false,
    detail: expect.stringMatching(/the clock was set back/) as string,
    fix: expect.stringContaining('NTP') as string,
  });
});

test('a funding message from before is refused rather than trusted, once only, and a new one works', async () => {
  const change = async (message: string): Promise<unknown> =>
    desk().call('paymasters.setFundingWallet', {
      paymasterId: dapp.paymasterId,
      type: 'paymasterFundingId',
      signature: await wallet.signMessage(message),
      address: wallet.address,
    });
  const fresh = async () =>
    (
      await desk().call<ProcedureOutput<'paymasters.fundingMessage'>>('paymasters.fundingMessage', {
        paymasterId: dapp.paymasterId,
      })
    ).fundingMessage;
  const before = await fresh();
  desk().clock.setBack(HOUR);
  await expect(change(before)).rejects.toMatchObject({ code: 'INVALID_SIGNATURE' });
  const message = await fresh();
  await change(message);
  await expect(change(message)).rejects.toMatchObject({ code: 'INVALID_SIGNATURE' });
  await expect(change(before)).rejects.toMatchObject({ code: 'INVALID_SIGNATURE' });
});
