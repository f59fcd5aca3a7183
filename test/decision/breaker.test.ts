import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ProcedureOutput } from '../../src/shared/contract/index.ts';
import { codeOf, codesOf, useOfflineDesk } from '../support/offline-desk.ts';
import { type SponsoredDapp, operation } from '../support/sponsored-world.ts';

const desk = useOfflineDesk();
const MINUTE = 60_000;
const GWEI = 1_000_000_000n;
/** Wei that one operation may cost: 1,000,000 gas for a gwei each. */
const COST = 1_000_000n * GWEI;

const op = (nonce: number, gas = 1_000_000): Record<string, unknown> =>
  operation(
    { to: `0x${'11'.repeat(20)}`, data: '0x12345678' },
    {
      ...{ nonce, callGasLimit: String(gas - 12_004), verificationGasLimit: '1', preVerificationGas: '1' },
      ...{ maxFeePerGas: String(GWEI), maxPriorityFeePerGas: '0' },
    },
  );
const set = (breaker: { amountWei: string; seconds: number } | null): Promise<unknown> =>
  desk().call('chains.set', { chainId: 31337, breaker });
const paused = async () => (await desk().call<ProcedureOutput<'system.info'>>('system.info', {})).paused;
const resume = (): Promise<unknown> => desk().call('system.resume', {});
const signed = async (dapp: SponsoredDapp): Promise<bigint> =>
  (await dapp.decisions())
    .filter(({ outcome }) => outcome === 'sponsored')
    .reduce((sum, { maxCostWei }) => sum + BigInt(maxCostWei!), 0n);

let dapp: SponsoredDapp;
beforeEach(async () => {
  dapp = await desk().dapp();
  await set({ amountWei: String(10n * COST), seconds: 3_600 });
});
afterEach(async () => {
  await set(null);
  await resume();
  await desk().clock.advance(7 * 24 * 60 * MINUTE);
});

describe('the burn-rate breaker of a chain', () => {
  test('lets no more be signed than its amount, however many ask at once, and pauses all sponsorship', async () => {
    const other = await desk().dapp();
    const replies = await Promise.all(
      Array.from({ length: 1_000 }, (_, nonce) => (nonce % 2 ? dapp : other).sponsor(op(nonce))),
    );
    const { SPONSORED, BURN_RATE_EXCEEDED = 0, SPONSORSHIP_PAUSED = 0 } = codesOf(replies);
    expect(SPONSORED).toBe(10);
    expect(BURN_RATE_EXCEEDED).toBeGreaterThan(0);
    expect(BURN_RATE_EXCEEDED + SPONSORSHIP_PAUSED).toBe(990);
    expect((await signed(dapp)) + (await signed(other))).toBe(10n * COST);
    expect(await paused()).toEqual({
      since: desk().clock.now(),
      reason: 'Burn-rate breaker: operations on Local chain came to more than 0.01 ETH within 1 hour',
    });
    expect(codeOf(await dapp.sponsor(op(1_000)))).toBe('SPONSORSHIP_PAUSED');
  });

  test('says in the denial what it counted', async () => {
    for (let nonce = 0; nonce < 10; nonce += 1) expect(codeOf(await dapp.sponsor(op(nonce)))).toBe('SPONSORED');
    const reply = await dapp.sponsor(op(10));
    expect(reply.body.result?.reason).toMatchObject({
      code: 'BURN_RATE_EXCEEDED',
      rule: 'burnRate',
      message: expect.stringContaining('0.01 of the native coin is used') as string,
    });
    const [decision] = await dapp.decisions();
    expect(decision?.trace.at(-1)).toMatchObject({
      rule: 'burnRate',
      evidence: { threshold: String(10n * COST), used: String(10n * COST), amount: String(COST), seconds: 3_600 },
    });
  });

  test('keeps the desk paused over a restart; resumed by the operator it counts anew, and trips again', async () => {
    for (let nonce = 0; nonce <= 10; nonce += 1) await dapp.sponsor(op(nonce));
    await desk().restart();
    expect((await paused())?.reason).toMatch(/^Burn-rate breaker: /);
    await desk().clock.advance(2 * 60 * MINUTE);
    expect(codeOf(await dapp.sponsor(op(20)))).toBe('SPONSORSHIP_PAUSED');
    await resume();
    const codes = codesOf(await Promise.all(Array.from({ length: 12 }, (_, index) => dapp.sponsor(op(30 + index)))));
    expect(codes).toMatchObject({ SPONSORED: 10 });
    expect(await paused()).not.toBeNull();
  });

  test('counts over a restart, too', async () => {
    for (let nonce = 0; nonce < 6; nonce += 1) await dapp.sponsor(op(nonce));
    await desk().restart();
    for (let nonce = 6; nonce < 10; nonce += 1) expect(codeOf(await dapp.sponsor(op(nonce)))).toBe('SPONSORED');
    expect(codeOf(await dapp.sponsor(op(10)))).toBe('BURN_RATE_EXCEEDED');
  });

  test('slides: nothing is forgotten before its time is past, and no burst fits around the turn of an hour', async () => {
    await desk().clock.advance(59.5 * MINUTE);
    for (let nonce = 0; nonce < 10; nonce += 1) await dapp.sponsor(op(nonce));
    await desk().clock.advance(59.9 * MINUTE);
    expect(codeOf(await dapp.sponsor(op(10)))).toBe('BURN_RATE_EXCEEDED');
    await resume();
    for (let nonce = 11; nonce < 21; nonce += 1) expect(codeOf(await dapp.sponsor(op(nonce)))).toBe('SPONSORED');
    await desk().clock.advance(61.1 * MINUTE);
    expect(codeOf(await dapp.sponsor(op(21)))).toBe('SPONSORED');
  });

  test('denies what alone is above its amount without pausing: one request must not stop all others', async () => {
    expect(codeOf(await dapp.sponsor(op(0, 10_000_001)))).toBe('BURN_RATE_TOO_SMALL');
    expect(await paused()).toBeNull();
    expect(codeOf(await dapp.sponsor(op(0, 10_000_000)))).toBe('SPONSORED');
  });

  test('does not count, nor trip on, what another rule denies', async () => {
    await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 10 });
    for (let nonce = 0; nonce < 10; nonce += 1) await dapp.sponsor(op(nonce));
    expect(codeOf(await dapp.sponsor(op(10)))).toBe('LIMIT_REACHED');
    expect(await paused()).toBeNull();
  });

  test('takes a lower amount at once, and nothing when it is switched off', async () => {
    for (let nonce = 0; nonce < 5; nonce += 1) await dapp.sponsor(op(nonce));
    await set({ amountWei: String(5n * COST), seconds: 3_600 });
    expect(codeOf(await dapp.sponsor(op(5)))).toBe('BURN_RATE_EXCEEDED');
    await resume();
    await set(null);
    for (let nonce = 6; nonce < 20; nonce += 1) expect(codeOf(await dapp.sponsor(op(nonce)))).toBe('SPONSORED');
  });

  test('still counts what was signed before the clock was set back an hour', async () => {
    for (let nonce = 0; nonce < 10; nonce += 1) await dapp.sponsor(op(nonce));
    desk().clock.setBack(60 * MINUTE);
    expect(codeOf(await dapp.sponsor(op(10)))).toBe('BURN_RATE_EXCEEDED');
    await resume();
    await desk().clock.advance(60 * MINUTE);
  });
});
