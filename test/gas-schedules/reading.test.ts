import { SigningKey } from 'ethers';
import { expect, test } from 'vitest';
import { MEASURED_DATA, measuredSchedule } from '../../src/core/gas-schedules/recognize.ts';
import { gasSchedules } from '../../src/core/gas-schedules/schedules.ts';
import { readGasSchedule } from '../../src/engine/chain/gas-schedules/read-schedule.ts';
import { RpcError } from '../../src/engine/chain/rpc.ts';
import { gameCall, operation } from '../support/operations.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';
import { createForkChain } from './fork-chain.ts';

const world = useSponsoredWorld();

test.each(['cancun', 'prague', 'osaka', 'amsterdam'] as const)('calldata shows the rules of %s', async (fork) => {
  const chain = await createForkChain(fork);
  const from = new SigningKey(`0x${'07'.repeat(32)}`);
  const { gasUsed } = await chain.tryOut({ from, to: `0x${'ac'.repeat(20)}`, data: MEASURED_DATA, gasLimit: 200_000n });
  const hasLimit = gasSchedules[fork].mostTransactionGas !== undefined;
  expect(measuredSchedule(gasUsed, hasLimit)).toBe(fork);
});

test('the schedule of a chain is what its node says, until the operator pins another', async () => {
  const { engine, chain } = world();
  const { chainId } = chain;
  const set = async (gasSchedule?: 'amsterdam' | null) =>
    (
      await engine.service.call('chains.set', {
        chainId,
        rpc: chain.url,
        ...(gasSchedule !== undefined && { gasSchedule }),
      })
    ).gasSchedule;
  expect(await set()).toEqual({ name: 'prague', source: 'eth_config', next: null });
  expect(await set('amsterdam')).toEqual({ name: 'amsterdam', source: 'pinned', next: null });
  const dapp = await world().dapp(10n ** 18n);
  await dapp.sponsor(operation({ to: world().contracts.gameItems, data: gameCall('mint') }, {}));
  const [decision] = await dapp.decisions();
  expect(decision?.facts).toMatchObject({ gasSchedule: 'amsterdam' });
  expect(await set(null)).toEqual({ name: 'prague', source: 'eth_config', next: null });
});

test('a node without eth_config is measured by what it estimates', async () => {
  const { chain } = world();
  const send = (method: string, params: readonly unknown[]): Promise<unknown> =>
    method === 'eth_config'
      ? Promise.reject(new RpcError(-32_601, 'there is no such method', undefined))
      : chain.provider.send(method, [...params]);
  const reading = await readGasSchedule({ url: chain.url, send, call: () => Promise.reject(new Error('not called')) });
  expect(reading).toEqual({ name: 'prague', source: 'eth_estimateGas', next: null });
});
