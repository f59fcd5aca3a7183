import { describe, expect, test } from 'vitest';
import { useSettlementWorld } from '../support/settlement-world.ts';

const world = useSettlementWorld();

describe('what an operation cost replaces what it might have cost', () => {
  test('to the last wei of the event, and the rest of the reservation is free again', async () => {
    const { store, poll, sponsor } = await world().desk();
    const operation = await sponsor();
    expect(await poll()).toBe(true);
    expect(store.reservedWei).toBe(operation.decision.maxCost);

    const { actualGasCost, actualGasUsed, success, transactionHash, blockNumber } = await world().mine(operation);
    await poll();
    await poll();
    expect(operation.decision).toMatchObject({
      settlement: 'settled',
      mined: { actualGasCost, actualGasUsed, success, transactionHash, blockNumber },
      history: ['reserved', 'settled'],
    });
    expect(actualGasCost).toBeLessThan(operation.decision.maxCost);
    expect([store.reservedWei, store.spentWei]).toEqual([0n, actualGasCost]);
  });

  test.each(['1.1.0', '1.0.0'])('also where bytes were put behind what was signed, for version %s', async (version) => {
    const { store, poll, sponsor, logged } = await world().desk();
    const operation = await sponsor(300, { endless: version === '1.0.0' });
    const candidate = await sponsor(300, { insteadOf: operation });
    const { actualGasCost } = await world().mine(operation, { behind: `0x${'00'.repeat(32)}` });
    await poll();
    expect(operation.decision).toMatchObject({ settlement: 'settled', mined: { actualGasCost } });
    expect(candidate.decision.settlement).toBe('reserved');
    expect(store.spentWei).toBe(actualGasCost);
    expect(logged.map(({ event }) => event)).not.toContain('settlement.unmatched');
  });

  test('also where it was mined before its chain was looked at for the first time', async () => {
    const { poll, sponsor } = await world().desk({ maxRangeBlocks: 7 });
    const operation = await sponsor();
    const { actualGasCost } = await world().mine(operation);
    await world().mineEmpty(40);
    await poll();
    expect(operation.decision).toMatchObject({ settlement: 'settled', mined: { actualGasCost } });
  });

  test('also where it was mined while the desk was down', async () => {
    const desk = await world().desk({ maxRangeBlocks: 20 });
    const [early, late] = [await desk.sponsor(3_600), await desk.sponsor(3_600)];
    await desk.poll();
    await desk.stop();
    const costs = (await world().mine(early)).actualGasCost;
    await world().mineEmpty(150);
    const { actualGasCost } = await world().mine(late);
    await world().mineEmpty(30);
    await desk.restart();
    await desk.poll();
    expect([early, late].map(({ decision }) => decision.history)).toEqual(Array(2).fill(['reserved', 'settled']));
    expect([desk.store.reservedWei, desk.store.spentWei]).toEqual([0n, costs + actualGasCost]);
  });

  test('and a foreign operation on the same chain changes nothing', async () => {
    const [ours, theirs] = [await world().desk(), await world().desk()];
    const { decision } = await ours.sponsor();
    const { actualGasCost } = await world().mine(await theirs.sponsor());
    await Promise.all([ours.poll(), theirs.poll()]);
    expect([ours.store.reservedWei, ours.store.spentWei]).toEqual([decision.maxCost, 0n]);
    expect([theirs.store.reservedWei, theirs.store.spentWei]).toEqual([0n, actualGasCost]);
  });
});

describe('a re-org', () => {
  test('that takes an operation back reserves its maximum again, until it is mined again', async () => {
    const desk = await world().desk();
    const operation = await desk.sponsor();
    await world().mine(operation);
    await world().mineEmpty(3);
    await desk.poll();
    await world().rpc.send('anvil_reorg', [5, []]);
    await desk.poll();
    expect(operation.decision).toMatchObject({ settlement: 'reserved', mined: undefined });
    expect([desk.store.reservedWei, desk.store.spentWei]).toEqual([operation.decision.maxCost, 0n]);

    const { actualGasCost } = await world().mine(operation);
    await desk.poll();
    expect(operation.decision.history).toEqual(['reserved', 'settled', 'reserved', 'settled']);
    expect([desk.store.reservedWei, desk.store.spentWei]).toEqual([0n, actualGasCost]);
  });

  test('that leaves the chain shorter is noticed at once, also by a desk that was just started', async () => {
    const desk = await world().desk();
    const operation = await desk.sponsor();
    await world().mine(operation);
    await world().mineEmpty(3);
    await desk.poll();
    expect(operation.decision.settlement).toBe('settled');
    await world().rpc.send('anvil_rollback', [4]);
    await desk.restart();
    await desk.poll();
    expect(operation.decision.settlement).toBe('reserved');
    expect(desk.store.cursors.get(31337)).toBe((await world().head()).number);
  });

  test('as deep as is reserved is noticed, also where nothing takes the place of what it took', async () => {
    const desk = await world().desk();
    const operation = await desk.sponsor();
    await world().mine(operation);
    await world().mineEmpty(11);
    await desk.poll();
    await world().rpc.send('anvil_rollback', [12]);
    await desk.poll();
    expect(operation.decision.history).toEqual(['reserved', 'settled', 'reserved']);
  });

  test('that only moves an operation to another block costs no reservation', async () => {
    const desk = await world().desk();
    const operation = await desk.sponsor();
    const before = await world().mine(operation);
    await desk.poll();
    await world().rpc.send('anvil_reorg', [1, []]);
    await world().mineEmpty(2);
    const { actualGasCost, blockNumber } = await world().mine(operation);
    expect(blockNumber).toBe(before.blockNumber + 3);
    await desk.poll();
    expect(operation.decision.mined).toMatchObject({ actualGasCost, blockNumber });
    expect(operation.decision.history).toEqual(['reserved', 'settled']);
  });

  test('that takes an operation back after another one moved it far up is noticed', async () => {
    const desk = await world().desk();
    const operation = await desk.sponsor();
    await world().mine(operation);
    await desk.poll();
    await world().rpc.send('anvil_reorg', [1, []]);
    await world().mineEmpty(11);
    const { actualGasCost } = await world().mine(operation);
    await desk.poll();
    await world().mineEmpty(1);
    await desk.poll();
    expect(operation.decision).toMatchObject({ settlement: 'settled', mined: { actualGasCost } });
    await world().rpc.send('anvil_reorg', [2, []]);
    await desk.poll();
    expect(operation.decision).toMatchObject({ settlement: 'reserved', mined: undefined });
    expect([desk.store.reservedWei, desk.store.spentWei]).toEqual([operation.decision.maxCost, 0n]);
  });

  test('of a whole chain, set back to its beginning, does not stop settlement', async () => {
    const desk = await world().desk();
    await desk.sponsor();
    await desk.poll();
    desk.store.cursors.set(31337, 1_000_000);
    const operation = await desk.sponsor();
    await world().mine(operation);
    expect(await desk.poll()).toBe(true);
    expect(operation.decision.settlement).toBe('settled');
    expect(desk.store.cursors.get(31337)).toBe((await world().head()).number);
    expect(desk.logged.map(({ event }) => event)).toContain('settlement.chain-set-back');
  });
});

describe('an operation that matches no decision for certain, since its bytes are hidden', () => {
  const hidden = { behind: '0x00', scrambled: true } as const;

  test('leaves all candidates at their maximum, and is reported to the operator once', async () => {
    const desk = await world().desk();
    const operation = await desk.sponsor(300);
    const others = [
      await desk.sponsor(300, { insteadOf: operation }),
      await desk.sponsor(300, { insteadOf: operation }),
    ];
    const free = await desk.sponsor(300, { insteadOf: operation, endless: true });
    const { transactionHash } = await world().mine(operation, hidden);
    await desk.poll();
    await world().mineEmpty(1);
    await desk.restart();
    await desk.poll();
    await world().pass(500);
    await desk.poll();
    const maybe = [operation, ...others].map(({ decision }) => decision);
    expect(maybe.map(({ history }) => history)).toEqual(Array(3).fill(['reserved', 'unconfirmed']));
    // Of another contract, whose event it was not.
    expect(free.decision.settlement).toBe('reserved');
    expect(desk.store.spentWei).toBe(maybe.reduce((sum, { maxCost }) => sum + maxCost, 0n));
    const told = desk.logged.filter(({ event }) => event === 'settlement.unmatched');
    expect(told).toMatchObject([{ chainId: 31337, count: 3, transactionHash }]);
  });

  test('and that a re-org takes back leaves nothing behind', async () => {
    const desk = await world().desk();
    const operation = await desk.sponsor();
    const other = await desk.sponsor(300, { insteadOf: operation });
    await world().mine(operation, hidden);
    await desk.poll();
    await world().rpc.send('anvil_reorg', [1, []]);
    await desk.poll();
    for (const { decision } of [operation, other]) {
      expect(decision).toMatchObject({ history: ['reserved', 'unconfirmed', 'reserved'], mined: undefined });
    }
    const { actualGasCost } = await world().mine(other);
    await desk.poll();
    expect([operation, other].map(({ decision }) => decision.settlement)).toEqual(['reserved', 'settled']);
    expect(desk.store.spentWei).toBe(actualGasCost);
  });

  test('is known all the same where it was seen openly before a re-org: its hash is the operation', async () => {
    const { poll, sponsor, store, restart } = await world().desk();
    const operation = await sponsor();
    const other = await sponsor(300, { insteadOf: operation });
    await world().mine(operation, { behind: hidden.behind });
    await poll();
    await world().rpc.send('anvil_reorg', [1, []]);
    await poll();
    expect(operation.decision.settlement).toBe('reserved');
    await restart();
    const { actualGasCost } = await world().mine(operation, hidden);
    await poll();
    expect(operation.decision).toMatchObject({ settlement: 'settled', mined: { actualGasCost } });
    expect(other.decision.history).toEqual(['reserved']);
    expect(store.spentWei).toBe(actualGasCost);
  });

  test('is of no concern where no decision has hidden: its own hash is known', async () => {
    const { poll, sponsor } = await world().desk();
    const operation = await sponsor();
    await world().mine(operation, { scrambled: true });
    await poll();
    expect(operation.decision.settlement).toBe('settled');
  });
});

describe('a reservation of version 1.0.0, whose signature never expires', () => {
  test('outlives all time, here and on a chain without an RPC', async () => {
    for (const withoutRpc of [false, true]) {
      const { clock, poll, sponsor } = await world().desk({ withoutRpc });
      const { decision } = await sponsor(300, { endless: true });
      await poll();
      await world().pass(100_000);
      await clock.advance(100_000_000);
      await poll();
      expect(decision.history).toEqual(['reserved']);
    }
  });

  test('is settled however late it is mined', async () => {
    const { poll, sponsor } = await world().desk();
    const operation = await sponsor(300, { endless: true });
    await world().pass(100_000);
    await poll();
    const { actualGasCost } = await world().mine(operation);
    await poll();
    expect(operation.decision).toMatchObject({ settlement: 'settled', mined: { actualGasCost } });
  });

  test('is released once its nonce is used by something else, so deep that no re-org brings it back', async () => {
    const { clock, poll, sponsor, restart } = await world().desk();
    const operation = await sponsor(300, { endless: true });
    await poll();
    await world().useNonce(operation);
    await world().mineEmpty(11);
    await clock.advance(3_600_000);
    await poll();
    expect(operation.decision.settlement).toBe('reserved');
    await restart();
    await world().mineEmpty(1);
    await poll();
    expect(operation.decision.history).toEqual(['reserved', 'released']);
  });

  test('is kept where the account has used other nonces only', async () => {
    const { clock, poll, sponsor } = await world().desk();
    const [operation, other] = [await sponsor(300, { endless: true }), await sponsor()];
    await world().useNonce(other);
    await world().mineEmpty(20);
    await clock.advance(3_600_000);
    await poll();
    expect(operation.decision.settlement).toBe('reserved');
  });
});

describe('a reservation whose operation never came', () => {
  test('is released once the chain is two minutes past its time, and not before', async () => {
    const { poll, sponsor, store } = await world().desk();
    const { decision } = await sponsor(300);
    await poll();
    await world().pass(415);
    await poll();
    expect(decision.settlement).toBe('reserved');
    await world().pass(10);
    await poll();
    await poll();
    expect(decision.history).toEqual(['reserved', 'released']);
    expect([store.reservedWei, store.spentWei]).toEqual([0n, 0n]);
  });

  test('is released by the clock where the chain mines no blocks', async () => {
    const { clock, start, stop, poll, sponsor } = await world().desk();
    const { decision } = await sponsor(300);
    start();
    await poll();
    await clock.advance(419_000);
    await poll();
    expect(decision.settlement).toBe('reserved');
    await clock.advance(2_000);
    await poll();
    expect(decision.history).toEqual(['reserved', 'released']);
    await stop();
    expect(clock.pending).toBe(0);
  });

  test('is kept where our clock runs ahead of a living chain', async () => {
    const { clock, poll, sponsor } = await world().desk();
    const { decision } = await sponsor(300);
    for (let hour = 0; hour < 3; hour += 1) {
      await clock.advance(3_600_000);
      await world().mineEmpty(1);
      await poll();
    }
    expect(decision.settlement).toBe('reserved');
  });

  test('but is settled after all where a re-org brings it after its release', async () => {
    const { poll, sponsor, store } = await world().desk();
    const operation = await sponsor(300);
    await poll();
    await world().pass(425);
    await poll();
    expect(operation.decision.settlement).toBe('released');
    await world().rpc.send('anvil_rollback', [1]);
    const { timestamp } = await world().head();
    await world().rpc.send('evm_setNextBlockTimestamp', [timestamp + 1]);
    const { actualGasCost } = await world().mine(operation);
    await poll();
    expect(operation.decision.history).toEqual(['reserved', 'released', 'settled']);
    expect([store.reservedWei, store.spentWei]).toEqual([0n, actualGasCost]);
  });

  test('counts as spent, unconfirmed, on a chain without an RPC', async () => {
    const { clock, poll, sponsor, store } = await world().desk({ withoutRpc: true });
    const { decision } = await sponsor(300);
    await clock.advance(420_000);
    await poll();
    expect(decision.settlement).toBe('reserved');
    await clock.advance(1_000);
    await poll();
    expect(decision.history).toEqual(['reserved', 'unconfirmed']);
    expect([store.reservedWei, store.spentWei]).toEqual([0n, decision.maxCost]);
  });
});

describe('while the node cannot be reached', () => {
  test('no reservation is released, and what was mined meanwhile is settled afterwards', async () => {
    const { clock, poll, sponsor, logged, start, stop } = await world().desk();
    const [lost, mined] = [await sponsor(300), await sponsor(300)];
    start();
    await poll();
    await world().line.cut();
    try {
      expect(await poll()).toBe(false);
      const { actualGasCost } = await world().mine(mined);
      await world().pass(1_000);
      await clock.advance(1_000_000);
      expect(await poll()).toBe(false);
      expect([lost, mined].map(({ decision }) => decision.settlement)).toEqual(['reserved', 'reserved']);

      await world().line.mend();
      expect(await poll()).toBe(true);
      expect(mined.decision).toMatchObject({ settlement: 'settled', mined: { actualGasCost } });
      expect(lost.decision.history).toEqual(['reserved', 'released']);
      const outage = logged.filter(({ event }) => /interrupted|resumed/.test(event));
      expect(outage.map(({ event, chainId }) => [event, chainId])).toEqual([
        ['settlement.interrupted', 31337],
        ['settlement.resumed', 31337],
      ]);
    } finally {
      await stop();
      await world().line.mend();
    }
  });

  test('nothing is released by the clock before the node has answered again', async () => {
    const { clock, poll, sponsor } = await world().desk();
    const operation = await sponsor(300);
    await poll();
    await clock.advance(130_000);
    await poll();
    await world().line.cut();
    try {
      await clock.advance(1_000_000);
      await poll();
      await world().mine(operation);
      await world().line.mend();
      await poll();
      expect(operation.decision.history).toEqual(['reserved', 'settled']);
    } finally {
      await world().line.mend();
    }
  });
});
