import { expect, test } from 'vitest';
import type { Exposure } from '../desk/types.ts';
import { exposureByCoin } from './exposure.ts';

const chain = (chainId: number, reservedWei: string): Exposure['chains'][number] => ({
  chainId,
  reservedWei,
  operations: 1,
  state: 'reachable',
  error: null,
  unreachable: null,
});
const coinOf = (chainId: number): string => (chainId === 137 ? 'POL' : 'ETH');

test.each([
  [[{ coin: 'ETH', wei: '5' }], [chain(1, '2'), chain(10, '3'), chain(137, '0')]],
  [
    [
      { coin: 'ETH', wei: '2' },
      { coin: 'POL', wei: '3' },
    ],
    [chain(1, '2'), chain(137, '3')],
  ],
  [[{ coin: 'ETH', wei: '0' }], [chain(1, '0'), chain(137, '0')]],
  [[], []],
])('coins are never added to other coins: %j', (totals, chains) => {
  expect(exposureByCoin({ chains, dapps: [] }, coinOf)).toEqual(totals);
});
