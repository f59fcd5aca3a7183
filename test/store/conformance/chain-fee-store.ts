import { beforeEach, expect, it } from 'vitest';
import type { ChainSettings } from '../../../src/engine/store/registry-store.ts';
import type { Store } from '../../../src/engine/store/store.ts';
import { type OpenStore, useStore } from './open-store.ts';

/** What every {@link Store} does. */
export const describeChainFeeStore = (open: OpenStore): void => {
  let store: Store;
  const reopen = useStore(open, (opened) => {
    store = opened;
  });
  const chain: ChainSettings = {
    chainId: 5,
    name: null,
    symbol: null,
    rpc: 'http://127.0.0.1:1',
    bundler: null,
    treasury: null,
    breaker: 'default',
    unreachableBudgetWei: null,
    maxOperationCostWei: null,
    forwardBundler: null,
    price: null,
    gasSchedule: null,
  };
  const HUGE = 2n ** 255n;
  const baseFee = { block: 7, baseFeeWei: HUGE, at: 1_000 };

  beforeEach(() => store.saveChain(chain));

  it('knows nothing of a chain that was not read', async () => {
    expect(await store.chainFees(5)).toEqual({ baseFee: undefined, tips: [] });
  });

  it('keeps what was seen, also where the settings of the chain are changed', async () => {
    await store.saveChainFees(5, { baseFee, tip: { hour: 3, lowestWei: HUGE } });
    await store.saveChain({ ...chain, rpc: 'http://127.0.0.1:2' });
    await reopen();
    expect(await store.chainFees(5)).toEqual({ baseFee, tips: [{ hour: 3, lowestWei: HUGE }] });
    expect(await store.chainFees(6)).toEqual({ baseFee: undefined, tips: [] });
  });

  it('keeps the latest base fee and the lowest tip of an hour, whichever engine writes first', async () => {
    await store.saveChainFees(5, { baseFee, tip: { hour: 3, lowestWei: 9n } });
    await store.saveChainFees(5, { baseFee: { block: 6, baseFeeWei: 1n, at: 999 }, tip: { hour: 3, lowestWei: 10n } });
    expect(await store.chainFees(5)).toEqual({ baseFee, tips: [{ hour: 3, lowestWei: 9n }] });
    const later = { block: 8, baseFeeWei: 2n, at: 1_001 };
    await store.saveChainFees(5, { baseFee: later, tip: { hour: 3, lowestWei: 0n } });
    expect(await store.chainFees(5)).toEqual({ baseFee: later, tips: [{ hour: 3, lowestWei: 0n }] });
  });

  it('keeps the newest 24 hours in which the chain was read', async () => {
    for (let hour = 40; hour > 0; hour -= 1) {
      await store.saveChainFees(5, { baseFee, tip: { hour: hour * 100, lowestWei: BigInt(hour) } });
    }
    const { tips } = await store.chainFees(5);
    expect(tips.map(({ hour }) => hour)).toEqual(Array.from({ length: 24 }, (_, index) => (17 + index) * 100));
  });

  it('forgets a chain that is removed, and keeps nothing of one that has no settings', async () => {
    const seen = { baseFee, tip: { hour: 3, lowestWei: 9n } };
    await store.saveChainFees(5, seen);
    await store.removeChain(5);
    await store.saveChainFees(5, seen);
    await store.saveChain(chain);
    expect(await store.chainFees(5)).toEqual({ baseFee: undefined, tips: [] });
  });
};
