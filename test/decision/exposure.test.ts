import { beforeEach, describe, expect, test } from 'vitest';
import type { ProcedureOutput } from '../../src/api/index.ts';
import { RESERVED_WEI, gameCall, operation } from '../support/operations.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';

const world = useSponsoredWorld();
const DEAD_NODE = 'http://127.0.0.1:1';

const exposure = async (): Promise<ProcedureOutput<'exposure.get'>> => {
  // What was answered a moment ago is answered again.
  await world().clock.advance(5_000);
  return world().engine.service.call('exposure.get', {});
};
const setRpc = (rpc: string): Promise<unknown> => world().engine.service.call('chains.set', { chainId: 31337, rpc });
const ask = () => operation({ to: world().contracts.gameItems, data: gameCall('mint') });

beforeEach(() => setRpc(world().chain.url));

describe('what is reserved', () => {
  test('is reported to the wei, per DApp and chain, and next to what the tank holds', async () => {
    const dapp = await world().dapp(30n * RESERVED_WEI);
    const other = await world().dapp(RESERVED_WEI);
    const [before] = (await exposure()).chains;
    await dapp.sponsor(ask());
    await dapp.sponsor(ask());
    const { chains, dapps } = await exposure();
    const reserved = { reservedWei: String(2n * RESERVED_WEI), operations: 2 };
    const inAll = {
      reservedWei: String(BigInt(before?.reservedWei ?? 0) + 2n * RESERVED_WEI),
      operations: (before?.operations ?? 0) + 2,
    };
    expect(chains).toEqual([{ chainId: 31337, ...inAll, state: 'reachable', error: null, unreachable: null }]);
    expect(dapps.find(({ paymasterId }) => paymasterId === dapp.paymasterId)).toMatchObject({
      ...reserved,
      tank: {
        balanceWei: String(30n * RESERVED_WEI),
        freeWei: String(28n * RESERVED_WEI),
        operationsLeft: '28',
        level: 'good',
        sharedBy: 1,
        error: null,
      },
    });
    expect(dapps.find(({ paymasterId }) => paymasterId === other.paymasterId)).toMatchObject({
      reservedWei: '0',
      operations: 0,
      tank: { operationsLeft: null, level: 'good' },
    });
  });

  test('leaves a tank low, then empty', async () => {
    const dapp = await world().dapp(2n * RESERVED_WEI);
    const level = async () =>
      (await exposure()).dapps.find(({ paymasterId }) => paymasterId === dapp.paymasterId)?.tank.level;
    await dapp.sponsor(ask());
    expect(await level()).toBe('low');
    // What anyone with the API key may send costs nothing, and says nothing about what operations cost.
    await dapp.sponsor({});
    expect(await level()).toBe('low');
    await dapp.sponsor(ask());
    expect(await level()).toBe('empty');
  });

  test('is known without the chain; the balance is then said to be unknown, and not nothing', async () => {
    const dapp = await world().dapp(30n * RESERVED_WEI);
    await dapp.sponsor(ask());
    await setRpc(DEAD_NODE);
    const { chains, dapps } = await exposure();
    expect(chains[0]).toMatchObject({ state: 'unreachable', error: expect.stringContaining('31337') });
    expect(dapps.find(({ paymasterId }) => paymasterId === dapp.paymasterId)).toMatchObject({
      reservedWei: String(RESERVED_WEI),
      tank: { balanceWei: null, freeWei: null, level: 'unknown', error: expect.stringContaining('31337') },
    });
  });

  test('of a DApp without a funding wallet says what is missing', async () => {
    const { service } = world().engine;
    const [account] = await service.call('accounts.list', {});
    const definition = { accountId: account?.accountId, type: 'HYBRID', chainId: 31337, version: '1.1.0' };
    const { paymasterId } = await service.call('paymasters.create', { ...definition, name: 'Unfunded' });
    const { dapps } = await exposure();
    expect(dapps.find((one) => one.paymasterId === paymasterId)?.tank).toMatchObject({
      level: 'unknown',
      error: expect.stringContaining('funding wallet'),
    });
  });
});
