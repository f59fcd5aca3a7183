import { expect, test } from 'vitest';
import { gameCall } from '../../src/demo/game-items.ts';
import { operation, sponsorRequest } from '../support/operations.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';
import { playsAll } from '../support/combinations.ts';

const world = useSponsoredWorld();

const ASKERS = 16;

test.runIf(playsAll)('under load the key of a DApp is changed, and no request fails', async () => {
  const { engine, contracts, chain } = world();
  const dapp = await world().dapp(10n ** 18n);
  await world().registerGameItems(dapp);
  const { paymasterId } = dapp;
  const mint = operation(gameCall({ contracts }, 'mint', 1n));

  let isOver = false;
  let asked = 0;
  const keys = Array.from({ length: ASKERS }, () => dapp.apiKey);
  const statuses = new Map<number, number>();
  /** A part of the DApp: it uses its place in `keys`, where the test puts new keys one after the other. */
  const ask = async (asker: number): Promise<void> => {
    while (!isOver) {
      asked += 1;
      const request = sponsorRequest([{ ...mint, nonce: `0x${asked.toString(16)}` }, { mode: 'SPONSORED' }], asked);
      const { status } = await engine.post(`/api/v2/${chain.chainId}/${keys[asker]!}`, request);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  const askers = keys.map((_key, asker) => ask(asker));
  const afterMore = async (count: number): Promise<void> => {
    const until = asked + count;
    await expect.poll(() => asked, { timeout: 30_000 }).toBeGreaterThan(until);
  };

  await afterMore(ASKERS * 2);
  for (let round = 1; round <= 3; round += 1) {
    const old = await engine.service.call('apiKeys.list', { paymasterId });
    const { apiKey } = await engine.service.call('apiKeys.create', { paymasterId, label: `Round ${round}` });
    for (const asker of keys.keys()) {
      keys[asker] = apiKey;
      await afterMore(1);
    }
    // Every request with an old key has its answer.
    await afterMore(ASKERS * 2);
    for (const { keyId, revokedAt } of old) {
      if (revokedAt === null) await engine.service.call('apiKeys.revoke', { paymasterId, keyId });
    }
    await afterMore(ASKERS);
  }
  isOver = true;
  await Promise.all(askers);
  expect([...statuses]).toEqual([[200, asked]]);
});
