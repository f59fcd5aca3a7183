import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ProcedureOutput } from '../../src/api/index.ts';
import { codeOf, codesOf, useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import type { RpcReply, SponsoredDapp } from '../support/engine.ts';
import { sized } from '../support/combinations.ts';

const desk = useOfflineDesk();
const MINUTE = 60_000;
const GWEI = 1_000_000_000n;
/** Wei that one operation may cost: 1,000,000 gas for a gwei each. */
const COST = 1_000_000n * GWEI;

const op = (nonce: number, gas = 1_000_000): Record<string, unknown> =>
  operation(
    { to: `0x${'11'.repeat(20)}`, data: '0x12345678' },
    {
      nonce,
      callGasLimit: String(gas - 12_004),
      verificationGasLimit: '1',
      preVerificationGas: '1',
      maxFeePerGas: String(GWEI),
      maxPriorityFeePerGas: '0',
    },
  );
/** Of the test that runs: each has a chain to itself, so that no DApp of another test is on it. */
let chainId = 900_000;
const set = (breaker: { amountWei: string; seconds: number } | null): Promise<unknown> =>
  desk().call('chains.set', { chainId, name: 'Quiet chain', breaker });
/** The pause of all sponsorship. */
const paused = async () => (await desk().call<ProcedureOutput<'system.info'>>('system.info', {})).paused;
const pausedAlone = async ({ paymasterId }: SponsoredDapp) =>
  (await desk().call<ProcedureOutput<'paymasters.list'>>('paymasters.list', {})).find(
    (one) => one.paymasterId === paymasterId,
  )?.paused;
const resume = (): Promise<unknown> => desk().call('system.resume', {});
const signed = async (dapp: SponsoredDapp): Promise<bigint> =>
  (await dapp.decisions())
    .filter(({ outcome }) => outcome === 'sponsored')
    .reduce((sum, { maxCostWei }) => sum + BigInt(maxCostWei!), 0n);

let dapp: SponsoredDapp;
beforeEach(async () => {
  chainId += 1;
  await desk().call('chains.set', { chainId, name: 'Quiet chain' });
  dapp = await desk().dapp(chainId);
  await set({ amountWei: String(10n * COST), seconds: 3_600 });
});
afterEach(async () => {
  await set(null);
  await resume();
});

/** From the moment at which a pause is stored, the disk fails to read it. */
const failToReadPauses = (): void => {
  const statements = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1')) as Database.Statement;
  const { run, get } = statements;
  let fails = false;
  const running = vi.spyOn(statements, 'run').mockImplementation(function (this: Database.Statement, ...values) {
    fails ||= this.source.startsWith('INSERT INTO dapp_pause');
    return run.apply(this, values);
  });
  const getting = vi.spyOn(statements, 'get').mockImplementation(function (this: Database.Statement, ...values) {
    if (fails && this.source.includes('FROM sponsorship_pause'))
      throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_READ');
    return get.apply(this, values);
  });
  onTestFinished(() => [running, getting].forEach((spy) => spy.mockRestore()));
};

/** Operations at once. */
const CROWD = sized(1_000, 200);

describe('the burn-rate breaker of a chain', () => {
  test('lets no more be signed than its amount, however many ask at once, and pauses the DApp', async () => {
    const replies = await Promise.all(Array.from({ length: CROWD }, (_, nonce) => dapp.sponsor(op(nonce))));
    const { SPONSORED, BURN_RATE_EXCEEDED = 0, DAPP_PAUSED = 0 } = codesOf(replies);
    expect(SPONSORED).toBe(10);
    expect(BURN_RATE_EXCEEDED).toBeGreaterThan(0);
    expect(BURN_RATE_EXCEEDED + DAPP_PAUSED).toBe(CROWD - 10);
    expect(await signed(dapp)).toBe(10n * COST);
    expect(await pausedAlone(dapp)).toEqual({
      since: desk().clock.now(),
      reason: 'Burn-rate breaker: operations on Quiet chain exceeded 0.01 ETH within 1 hour',
    });
    expect(codeOf(await dapp.sponsor(op(1_000)))).toBe('DAPP_PAUSED');
  });

  test('answers its denial, which is stored, although the disk fails to read the pause', async () => {
    for (let nonce = 0; nonce < 10; nonce += 1) expect(codeOf(await dapp.sponsor(op(nonce)))).toBe('SPONSORED');
    failToReadPauses();
    expect(codeOf(await dapp.sponsor(op(10)))).toBe('BURN_RATE_EXCEEDED');
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

  test('keeps the DApp paused over a restart; resumed by the operator it restarts its count, and trips again', async () => {
    for (let nonce = 0; nonce <= 10; nonce += 1) await dapp.sponsor(op(nonce));
    await desk().restart();
    expect((await pausedAlone(dapp))?.reason).toMatch(/^Burn-rate breaker: /);
    await desk().clock.advance(2 * 60 * MINUTE);
    expect(codeOf(await dapp.sponsor(op(20)))).toBe('DAPP_PAUSED');
    await resume();
    const codes = codesOf(await Promise.all(Array.from({ length: 12 }, (_, index) => dapp.sponsor(op(30 + index)))));
    expect(codes).toMatchObject({ SPONSORED: 10 });
    expect(await pausedAlone(dapp)).not.toBeNull();
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
    expect([await paused(), await pausedAlone(dapp)]).toEqual([null, null]);
    expect(codeOf(await dapp.sponsor(op(0, 10_000_000)))).toBe('SPONSORED');
  });

  test('does not count, nor trip on, what another rule denies', async () => {
    await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 10 });
    for (let nonce = 0; nonce < 10; nonce += 1) await dapp.sponsor(op(nonce));
    expect(codeOf(await dapp.sponsor(op(10)))).toBe('LIMIT_REACHED');
    expect([await paused(), await pausedAlone(dapp)]).toEqual([null, null]);
  });

  test('takes a lower amount at once, and nothing when it is switched off', async () => {
    for (let nonce = 0; nonce < 5; nonce += 1) await dapp.sponsor(op(nonce));
    await set({ amountWei: String(5n * COST), seconds: 3_600 });
    expect(codeOf(await dapp.sponsor(op(5)))).toBe('BURN_RATE_EXCEEDED');
    await resume();
    await set(null);
    for (let nonce = 6; nonce < 20; nonce += 1) expect(codeOf(await dapp.sponsor(op(nonce)))).toBe('SPONSORED');
  });

  test.each([
    ['in between', () => Promise.resolve()],
    ['with a restart after each', () => desk().restart()],
  ])('still counts what was signed before the clock jumped two hours ahead and back, %s', async (_what, restart) => {
    for (let nonce = 0; nonce < 9; nonce += 1) expect(codeOf(await dapp.sponsor(op(nonce)))).toBe('SPONSORED');
    await desk().clock.advance(120 * MINUTE);
    await restart();
    expect(codeOf(await dapp.sponsor(op(9, 500_000)))).toBe('SPONSORED');
    desk().clock.setBack(120 * MINUTE);
    await restart();
    const replies = [await dapp.sponsor(op(10, 500_000)), await dapp.sponsor(op(11, 500_000))];
    expect(replies.map(codeOf)).toEqual(['SPONSORED', 'BURN_RATE_EXCEEDED']);
    expect(await signed(dapp)).toBe(10n * COST);
  });

  test('still counts what was signed before the clock was set back an hour', async () => {
    for (let nonce = 0; nonce < 10; nonce += 1) await dapp.sponsor(op(nonce));
    desk().clock.setBack(60 * MINUTE);
    expect(codeOf(await dapp.sponsor(op(10)))).toBe('BURN_RATE_EXCEEDED');
    await resume();
    await desk().clock.advance(60 * MINUTE);
  });
});

describe('the burn-rate breaker of a chain with several DApps', () => {
  const many = (of: SponsoredDapp, count: number, from = 0): Promise<RpcReply[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => of.sponsor(op(from + index))));
  const resumeDapp = ({ paymasterId }: SponsoredDapp): Promise<unknown> =>
    desk().call('paymasters.resume', { paymasterId });

  test('lets one sign for half of its amount, exactly, and then pauses that one alone', async () => {
    const other = await desk().dapp(chainId);
    const { SPONSORED, BURN_RATE_EXCEEDED_BY_DAPP = 0, DAPP_PAUSED = 0 } = codesOf(await many(dapp, 500));
    expect(SPONSORED).toBe(5);
    expect(BURN_RATE_EXCEEDED_BY_DAPP).toBeGreaterThan(0);
    expect(BURN_RATE_EXCEEDED_BY_DAPP + DAPP_PAUSED).toBe(495);
    expect(await paused()).toBeNull();
    expect(await pausedAlone(dapp)).toEqual({
      since: desk().clock.now(),
      reason: 'Burn-rate breaker: its operations on Quiet chain exceeded 0.005 ETH within 1 hour',
    });
    expect(await pausedAlone(other)).toBeNull();
    expect(codesOf(await many(other, 5))).toEqual({ SPONSORED: 5 });
  });

  test('never lets all of them together sign for more than its amount, and pauses every one where they would', async () => {
    const all: SponsoredDapp[] = [dapp, await desk().dapp(chainId), await desk().dapp(chainId)];
    const codes = await Promise.all(all.map((one) => many(one, 4)));
    expect(codesOf(codes.flat())).toMatchObject({ SPONSORED: 10 });
    for (const one of all)
      expect((await pausedAlone(one))?.reason).toMatch(/^Burn-rate breaker: operations on Quiet chain /);
    expect(await paused()).toBeNull();
  });

  test('stops no DApp of another chain', async () => {
    const neighbour = dapp;
    chainId += 1;
    await desk().call('chains.set', {
      chainId,
      name: 'Test chain',
      breaker: { amountWei: String(COST), seconds: 3_600 },
    });
    const attacked = await desk().dapp(chainId);
    await many(attacked, 3);
    expect(await pausedAlone(attacked)).not.toBeNull();
    expect(await pausedAlone(neighbour)).toBeNull();
    expect(codeOf(await attacked.sponsor(op(9)))).toBe('DAPP_PAUSED');
    expect(codeOf(await neighbour.sponsor(op(9)))).toBe('SPONSORED');
  });

  test('pauses a DApp that is registered later at its first operation', async () => {
    const all: SponsoredDapp[] = [dapp, await desk().dapp(chainId), await desk().dapp(chainId)];
    await Promise.all(all.map((one) => many(one, 4)));
    const later = await desk().dapp(chainId);
    expect(await pausedAlone(later)).toBeNull();
    expect(codeOf(await later.sponsor(op(0)))).toBe('BURN_RATE_EXCEEDED');
    expect(await pausedAlone(later)).not.toBeNull();
  });

  test('is resumed for every DApp at once, except for one that the operator pauses', async () => {
    const all: SponsoredDapp[] = [dapp, await desk().dapp(chainId), await desk().dapp(chainId)];
    await Promise.all(all.map((one) => many(one, 4)));
    const [, culprit, last] = all as [SponsoredDapp, SponsoredDapp, SponsoredDapp];
    await desk().call('paymasters.pause', { paymasterId: culprit.paymasterId, reason: 'Its key has leaked' });
    await resume();
    expect(await Promise.all(all.map(pausedAlone))).toMatchObject([null, { reason: 'Its key has leaked' }, null]);
    expect(codesOf(await many(last, 5, 40))).toEqual({ SPONSORED: 5 });
  });

  test('is resumed for one DApp, and the others stay paused', async () => {
    const all: SponsoredDapp[] = [dapp, await desk().dapp(chainId), await desk().dapp(chainId)];
    await Promise.all(all.map((one) => many(one, 4)));
    await resumeDapp(dapp);
    const [first, ...others] = await Promise.all(all.map(pausedAlone));
    expect(first).toBeNull();
    for (const other of others) expect(other).not.toBeNull();
    expect(codesOf(await many(dapp, 5, 40))).toEqual({ SPONSORED: 5 });
  });

  test('keeps a DApp paused over a restart; resumed it restarts the count of that DApp only', async () => {
    const other = await desk().dapp(chainId);
    await many(dapp, 6);
    await desk().restart();
    expect((await pausedAlone(dapp))?.reason).toMatch(/^Burn-rate breaker: its operations /);
    expect((await dapp.sponsor(op(10))).body.result?.reason).toMatchObject({
      code: 'DAPP_PAUSED',
      hint: expect.stringContaining(`"gasdesk resume --dapp ${dapp.paymasterId}"`),
    });
    await resumeDapp(dapp);
    expect(codesOf(await many(dapp, 3, 20))).toEqual({ SPONSORED: 3 });
    expect(codesOf(await many(other, 2))).toEqual({ SPONSORED: 2 });
    // Ten are signed for by now: what the chain may sign for in an hour is not more for a DApp that was resumed.
    expect(codeOf(await other.sponsor(op(9)))).toBe('BURN_RATE_EXCEEDED');
    await resume();
    expect(codesOf(await many(other, 5, 40))).toEqual({ SPONSORED: 5 });
  });

  test('denies an operation above half of its amount without pausing a DApp', async () => {
    await desk().dapp(chainId);
    const reply = await dapp.sponsor(op(0, 5_000_001));
    expect(codeOf(reply)).toBe('BURN_RATE_TOO_SMALL');
    expect(reply.body.result?.reason?.message).toContain(
      'lets Gasdesk sign for 0.005 of the native coin per 1 hour for each DApp',
    );
    expect([await paused(), await pausedAlone(dapp)]).toEqual([null, null]);
    expect(codeOf(await dapp.sponsor(op(0, 5_000_000)))).toBe('SPONSORED');
  });
});
