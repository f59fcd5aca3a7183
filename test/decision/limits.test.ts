import { describe, expect, test } from 'vitest';
import { decimalToWei } from '../../src/shared/schema/decimal.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import { sized } from '../support/combinations.ts';
import { codeOf, codesOf, useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import type { RpcReply, SponsoredDapp } from '../support/engine.ts';

const desk = useOfflineDesk();
const HOUR = 3_600_000;
const USERS: readonly Address[] = ['a1', 'b2', 'c3', 'd4'].map((byte): Address => `0x${byte.repeat(20)}`);
const [ALICE, BOB] = [USERS[0]!, USERS[1]!];

const op = (overrides: Record<string, unknown> = {}): Record<string, unknown> =>
  operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' }, overrides);
/** An operation that may cost exactly `gas`, which is multiplied with the fee. 12,000 are the contract's own. */
const costing = (gas: number, fee: bigint, overrides: Record<string, unknown> = {}): Record<string, unknown> =>
  op({
    callGasLimit: String(gas - 12_004),
    verificationGasLimit: '1', // counts three times
    preVerificationGas: '1',
    maxFeePerGas: String(fee),
    maxPriorityFeePerGas: '0',
    ...overrides,
  });
const GWEI = 1_000_000_000n;

/** Sends them all before the first answer is there. */
const atOnce = (dapp: SponsoredDapp, ops: readonly Record<string, unknown>[]): Promise<RpcReply[]> =>
  Promise.all(ops.map((one) => dapp.sponsor(one)));
const many = (count: number, make: (index: number) => Record<string, unknown>): Record<string, unknown>[] =>
  Array.from({ length: count }, (_, index) => make(index));
/** Wei that the sponsored decisions of a DApp may cost, by sender. */
const spent = async (dapp: SponsoredDapp): Promise<Map<string, bigint>> => {
  const bySender = new Map<string, bigint>();
  for (const { outcome, sender, maxCostWei } of await dapp.decisions()) {
    if (outcome === 'sponsored') bySender.set(sender, (bySender.get(sender) ?? 0n) + BigInt(maxCostWei!));
  }
  return bySender;
};
const total = (amounts: Iterable<bigint>): bigint => [...amounts].reduce((sum, amount) => sum + amount, 0n);

/** Operations at once. */
const CROWD = sized(1_000, 200);

describe(`${CROWD} operations at once`, () => {
  test('against a limit of 137 are sponsored 137 times', async () => {
    const dapp = await desk().dapp();
    await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 137 });
    const replies = await atOnce(
      dapp,
      many(CROWD, (nonce) => op({ nonce, sender: USERS[nonce % 4] })),
    );
    expect(codesOf(replies)).toEqual({ SPONSORED: 137, LIMIT_REACHED: CROWD - 137 });
    const decisions = await dapp.decisions();
    expect(decisions.filter(({ outcome }) => outcome === 'sponsored')).toHaveLength(137);
    // What an answer says is what is stored: no signature left the desk without its decision.
    const signed = replies.map(({ body }) => body.result!.paymasterAndData).filter((data) => data !== '0x');
    const stored = decisions.map(({ paymasterAndData }) => paymasterAndData).filter((data) => data !== '0x');
    expect(new Set(stored)).toEqual(new Set(signed));
    expect(new Set(signed).size).toBe(137);
  });

  test('of four users against a limit of 37 per user are sponsored 37 times for each', async () => {
    const dapp = await desk().dapp();
    await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 37, type: 'SMART_ACCOUNT' });
    // One account, however its address is written.
    const written = (index: number): string => {
      const user = USERS[index % 4]!;
      return index % 8 < 4 ? user : `0x${user.slice(2).toUpperCase()}`;
    };
    const replies = await atOnce(
      dapp,
      many(CROWD, (nonce) => op({ nonce, sender: written(nonce) })),
    );
    for (const index of USERS.keys()) {
      const ofUser = replies.filter((_, nonce) => nonce % 4 === index);
      expect(codesOf(ofUser)).toEqual({ SPONSORED: 37, LIMIT_REACHED: CROWD / 4 - 37 });
    }
  });

  test.each([
    [0.1, GWEI, 100],
    [0.15, GWEI + 1n, 149],
  ])('against a limit of %d coins, at %d wei per gas, are sponsored %i times', async (threshold, fee, sponsored) => {
    const dapp = await desk().dapp();
    await desk().limit(dapp, { thresholdType: 'NATIVE_ASSET', threshold });
    const replies = await atOnce(
      dapp,
      many(CROWD, (nonce) => costing(1_000_000, fee, { nonce })),
    );
    expect(codesOf(replies)).toEqual({ SPONSORED: sponsored, LIMIT_REACHED: CROWD - sponsored });
    expect(total((await spent(dapp)).values())).toBe(BigInt(sponsored) * 1_000_000n * fee);
  });

  test('of all prices never spend a wei too much, per user and in all, and never leave room for one that was denied', async () => {
    const dapp = await desk().dapp();
    await desk().limit(dapp, { thresholdType: 'NATIVE_ASSET', threshold: 0.05, name: 'all' });
    await desk().limit(dapp, { thresholdType: 'NATIVE_ASSET', threshold: 0.015, name: 'each', type: 'SMART_ACCOUNT' });
    await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 400 });
    const sent = many(CROWD, (nonce) =>
      costing(100_000 + ((nonce * 7919) % 900_000), GWEI + BigInt(nonce), { nonce, sender: USERS[nonce % 4] }),
    );
    const replies = await atOnce(dapp, sent);
    const bySender = await spent(dapp);
    const left = new Map(USERS.map((user) => [user, decimalToWei('0.015') - (bySender.get(user) ?? 0n)]));
    const leftOfAll = decimalToWei('0.05') - total(bySender.values());
    for (const wei of [leftOfAll, ...left.values()]) expect(wei).toBeGreaterThanOrEqual(0n);
    for (const { sender, outcome, maxCostWei, code } of await dapp.decisions()) {
      if (outcome === 'sponsored') continue;
      expect(code).toBe('LIMIT_REACHED');
      const cost = BigInt(maxCostWei!);
      expect(cost > leftOfAll || cost > left.get(sender as Address)!).toBe(true);
    }
    expect(replies.map(codeOf)).toContain('SPONSORED');
  });
});

describe('a limit in the native coin', () => {
  test('is added up in wei: 0.3 is as much as three times 0.1', async () => {
    const dapp = await desk().dapp();
    await desk().limit(dapp, { thresholdType: 'NATIVE_ASSET', threshold: 0.3 });
    const tenth = costing(100_000_000, GWEI);
    expect(
      codesOf(
        await atOnce(
          dapp,
          many(9, () => tenth),
        ),
      ),
    ).toEqual({ SPONSORED: 3, LIMIT_REACHED: 6 });
    expect(codeOf(await dapp.sponsor(costing(20_000, 1n)))).toBe('LIMIT_REACHED');
  });

  test('of one wei sponsors what costs nothing, and says that waiting does not help the rest', async () => {
    const dapp = await desk().dapp();
    const ruleId = await desk().limit(dapp, { name: 'One wei', thresholdType: 'NATIVE_ASSET', threshold: 1e-18 });
    const reply = await dapp.sponsor(costing(20_000, 1n));
    expect(codeOf(reply)).toBe('LIMIT_TOO_SMALL');
    expect(reply.body.result?.reason).toEqual({
      code: 'LIMIT_TOO_SMALL',
      rule: 'spendingLimit',
      message:
        'The limit "One wei" allows 0.000000000000000001 of the native coin per window, of all users together, ' +
        'less than the 0.00000000000002 of the native coin that this operation may take.',
      hint:
        'Raise the threshold of the limit to at least 0.00000000000002 of the native coin, ' +
        'or send the operation with lower gas limits and fees. Waiting does not help.',
    });
    expect(codeOf(await dapp.sponsor(costing(20_000, 0n)))).toBe('SPONSORED');
    const target = { paymasterId: dapp.paymasterId, ruleId };
    // To the wei: 60,000 are three times 20,000, and one less is not.
    await desk().call('rules.updateLimit', { ...target, update: { threshold: 5.9999e-14 } });
    expect(
      codesOf(
        await atOnce(
          dapp,
          many(9, () => costing(20_000, 1n)),
        ),
      ),
    ).toEqual({ SPONSORED: 2, LIMIT_REACHED: 7 });
    await desk().call('rules.updateLimit', { ...target, update: { threshold: 6e-14 } });
    expect(
      codesOf(
        await atOnce(
          dapp,
          many(9, () => costing(20_000, 1n)),
        ),
      ),
    ).toEqual({ SPONSORED: 3, LIMIT_REACHED: 6 });
  });
});

describe('several limits at once', () => {
  test('all apply; a denial by one of them takes nothing from the others', async () => {
    const dapp = await desk().dapp();
    await desk().limit(dapp, { name: 'day', thresholdType: 'COUNT', threshold: 7, hours: 24 });
    await desk().limit(dapp, { name: 'user', thresholdType: 'COUNT', threshold: 3, type: 'SMART_ACCOUNT' });
    await desk().limit(dapp, { name: 'money', thresholdType: 'NATIVE_ASSET', threshold: 0.005 });
    const cheap = (sender: Address) => costing(1_000_000, GWEI, { sender });

    expect(
      codesOf(
        await atOnce(
          dapp,
          many(5, () => cheap(ALICE)),
        ),
      ),
    ).toEqual({ SPONSORED: 3, LIMIT_REACHED: 2 });
    expect(
      codesOf(
        await atOnce(
          dapp,
          many(5, () => cheap(BOB)),
        ),
      ),
    ).toEqual({ SPONSORED: 2, LIMIT_REACHED: 3 });
    const deniedBy = (await dapp.decisions())[0]!.trace
      .filter(({ outcome }) => outcome === 'deny')
      .map(({ evidence }) => evidence['name']);
    expect(deniedBy).toEqual(['money']);

    await desk().clock.advance(HOUR);
    expect(
      codesOf(
        await atOnce(
          dapp,
          many(5, () => cheap(USERS[2]!)),
        ),
      ),
    ).toEqual({ SPONSORED: 2, LIMIT_REACHED: 3 });
    const names = (await dapp.decisions())[0]!.trace
      .filter(({ rule }) => rule === 'spendingLimit')
      .map(({ evidence, outcome }) => [evidence['name'], outcome, evidence['used'], evidence['threshold']]);
    expect(names).toEqual([
      ['day', 'deny', '7', '7'],
      ['user', 'pass', '2', '3'],
      ['money', 'pass', '2000000000000000', '5000000000000000'],
    ]);
  });
});

describe('the window of a limit', () => {
  const once = async (dapp: SponsoredDapp): Promise<string> => codeOf(await dapp.sponsor(op()));

  test('rolls at its start plus a multiple of its length, not a millisecond before', async () => {
    const dapp = await desk().dapp();
    await desk().clock.advance(12_345);
    await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 1, hours: 2 });
    const start = desk().clock.now();
    expect([await once(dapp), await once(dapp)]).toEqual(['SPONSORED', 'LIMIT_REACHED']);
    for (const windows of [1, 2, 5]) {
      await desk().clock.advance(start + windows * 2 * HOUR - 1 - desk().clock.now());
      // The window before the fifth was not used: what is left of it is not carried over.
      expect(await once(dapp)).toBe(windows === 5 ? 'SPONSORED' : 'LIMIT_REACHED');
      await desk().clock.advance(1);
      expect([await once(dapp), await once(dapp)]).toEqual(['SPONSORED', 'LIMIT_REACHED']);
    }
  });

  test('restarts when the limit is updated, and counts from that moment', async () => {
    const dapp = await desk().dapp();
    const ruleId = await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 1 });
    expect([await once(dapp), await once(dapp)]).toEqual(['SPONSORED', 'LIMIT_REACHED']);
    await desk().clock.advance(HOUR / 2);
    await desk().call('rules.updateLimit', { paymasterId: dapp.paymasterId, ruleId, update: { name: 'Renamed' } });
    expect([await once(dapp), await once(dapp)]).toEqual(['SPONSORED', 'LIMIT_REACHED']);
    await desk().clock.advance(HOUR - 1);
    expect(await once(dapp)).toBe('LIMIT_REACHED');
    await desk().clock.advance(1);
    expect(await once(dapp)).toBe('SPONSORED');
  });

  test('continues while the limit is paused, and past usage stays', async () => {
    const dapp = await desk().dapp();
    const ruleId = await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 2 });
    const target = { paymasterId: dapp.paymasterId, ruleId };
    expect(await once(dapp)).toBe('SPONSORED');
    await desk().call('rules.deactivate', target);
    expect([await once(dapp), await once(dapp), await once(dapp)]).toEqual(['SPONSORED', 'SPONSORED', 'SPONSORED']);
    await desk().clock.advance(HOUR / 2);
    await desk().call('rules.activate', target);
    expect([await once(dapp), await once(dapp)]).toEqual(['SPONSORED', 'LIMIT_REACHED']);
    await desk().clock.advance(HOUR / 2);
    expect(await once(dapp)).toBe('SPONSORED');
  });

  test('gives nothing away when the clock is set back, also to before the limit was made', async () => {
    const dapp = await desk().dapp();
    await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 1 });
    expect([await once(dapp), await once(dapp)]).toEqual(['SPONSORED', 'LIMIT_REACHED']);
    await desk().clock.advance(HOUR);
    expect([await once(dapp), await once(dapp)]).toEqual(['SPONSORED', 'LIMIT_REACHED']);
    for (const back of [HOUR / 2, HOUR, 48 * HOUR]) {
      await desk().clock.advance(-back);
      expect(await once(dapp)).toBe('LIMIT_REACHED');
    }
    await desk().clock.sleep(48 * HOUR + HOUR / 2);
    expect(await once(dapp)).toBe('LIMIT_REACHED');
  });

  test('is full after a restart when it was full before', async () => {
    const dapp = await desk().dapp();
    await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 3 });
    expect(await once(dapp)).toBe('SPONSORED');
    await desk().restart();
    expect([await once(dapp), await once(dapp), await once(dapp)]).toEqual(['SPONSORED', 'SPONSORED', 'LIMIT_REACHED']);
  });

  test('counts operations that cannot be looked up as spent', async () => {
    const dapp = await desk().dapp();
    await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 1, hours: 24 * 30 });
    expect(codeOf(await dapp.sponsor(op(), { expiryDuration: 60 }))).toBe('SPONSORED');
    const isUnconfirmed = async () => (await dapp.decisions()).at(-1)?.settlement === 'unconfirmed';
    for (let polls = 0; polls < 50 && !(await isUnconfirmed()); polls += 1) await desk().clock.advance(600_000);
    expect([await isUnconfirmed(), await once(dapp)]).toEqual([true, 'LIMIT_REACHED']);
  });

  test('is named in the denial: when it rolls, in how long, and what else would help', async () => {
    const dapp = await desk().dapp();
    const { clock } = desk();
    await clock.advance(HOUR - (clock.now() % HOUR) + 30 * 60_000);
    await desk().limit(dapp, { name: 'Hourly', thresholdType: 'COUNT', threshold: 1 });
    await clock.advance(17 * 60_000);
    const rolls = new Date(clock.now() + 43 * 60_000).toISOString();
    expect(await once(dapp)).toBe('SPONSORED');
    const { body } = await dapp.sponsor(op());
    expect(body.result?.reason).toEqual({
      code: 'LIMIT_REACHED',
      rule: 'spendingLimit',
      message:
        'The limit "Hourly" allows 1 operation per window, of all users together; 1 operation is used, ' +
        'and this operation takes 1 operation.',
      hint: `Wait until the window resets at ${rolls.slice(0, 10)} ${rolls.slice(11, 16)} UTC, in 43 min, or raise the limit's threshold to at least 2 operations.`,
    });
    expect(rolls.slice(14, 16)).toBe('30');
  });
});
