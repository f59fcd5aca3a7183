import { expect, test } from 'vitest';
import { typedChain } from './typed-chain.ts';

test.each([
  ['99999', { value: 99_999, label: 'Chain 99999' }],
  [' 7 ', { value: 7, label: 'Chain 7' }],
  ['0', undefined],
  ['-1', undefined],
  ['Sepolia', undefined],
  ['1.5', undefined],
  ['9'.repeat(20), undefined],
])('what is typed as a chain: %j', (typed, chain) => {
  expect(typedChain(typed)).toEqual(chain);
});
