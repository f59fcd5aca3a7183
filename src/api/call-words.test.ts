import { expect, test } from 'vitest';
import { type DecodedCall, callWords } from './call-words.ts';

const call: DecodedCall = {
  target: '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0',
  contract: 'Game Items',
  method: 'mint(uint256)',
  args: ['3'],
  valueWei: '0',
  data: '0xa0712d68',
  operation: 'call',
};

test.each<[string, Partial<DecodedCall>]>([
  ['mint(3) on Game Items', {}],
  ['mint(…) on Game Items', { args: null }],
  ['0xa0712d68(…) on 0x9fe4…a6e0', { contract: null, method: null, args: null }],
  ['mint(0x11111111…111111) on Game Items', { args: [`0x${'11'.repeat(20)}`] }],
  ['a transfer of 0.5 to 0x9fe4…a6e0', { contract: null, data: '0x', valueWei: '500000000000000000' }],
])('%s', (words, rest) => {
  expect(callWords({ ...call, ...rest })).toBe(words);
});
