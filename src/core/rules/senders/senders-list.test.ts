import { expect, test } from 'vitest';
import { readSenders } from './senders-list.ts';

const [ONE, TWO] = [`0x${'Aa'.repeat(20)}`, `0x${'b1'.repeat(20)}`];
const both = [ONE.toLowerCase(), TWO];

test.each([
  ['one per line', `${ONE}\n${TWO}\n`],
  ['Windows lines, empty ones and a byte order mark', `\uFEFF${ONE}\r\n\r\n  ${TWO}  `],
  ['CSV with a head', `name,address\nAnna,${ONE}\n"Ben",${TWO}`],
  ['semicolons and quotes', `"${ONE}";x\n"${TWO}";y`],
  ['an address twice', `${ONE}\n${TWO}\n${ONE.toLowerCase()}`],
])('%s', (_, text) => {
  expect(readSenders(text)).toEqual({ addresses: both, errors: [] });
});

test('a text that is no address is reported with its line, and left out', () => {
  expect(readSenders(`${ONE}\n0x12\nhello\n${TWO}`)).toEqual({
    addresses: both,
    errors: [
      { line: 2, text: '0x12' },
      { line: 3, text: 'hello' },
    ],
  });
  expect(readSenders('hello').errors).toEqual([{ line: 1, text: 'hello' }]);
  expect(readSenders('0x12').errors).toEqual([{ line: 1, text: '0x12' }]);
});
