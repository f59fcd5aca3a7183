import { expect, test } from 'vitest';
import { readSenders, sendersErrorWords } from './senders-list.ts';

const [ONE, TWO] = [`0x${'Aa'.repeat(20)}`, `0x${'b1'.repeat(20)}`];
const both = [ONE.toLowerCase(), TWO];

test.each([
  ['one per line', `${ONE}\n${TWO}\n`],
  ['Windows lines, empty ones and a byte order mark', `\uFEFF${ONE}\r\n\r\n  ${TWO}  `],
  ['CSV with a head', `name,address\nAnna,${ONE}\n"Ben",${TWO}`],
  ['semicolons and quotes', `"${ONE}";x\n"${TWO}";y`],
  ['several on a line', `${ONE} ${TWO}`],
  ['several on a line, with commas and more spaces', ` ${ONE},  ${TWO}, `],
  ['several in one cell', `name,addresses\nAnna Smith,"${ONE} ${TWO}"`],
  ['names of several words', `name,address\nAlice Smith,${ONE}\nBen ${TWO}`],
  ['hashes and methods in other columns', `${ONE},0x${'12'.repeat(32)}\nmint,0xa0712d68,${TWO}`],
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

test.each([' ', ', ', '\t'])('a damaged address is reported next to an intact one, after %j', (separator) => {
  const { addresses, errors } = readSenders(`${ONE}${separator}0x123`);
  expect(addresses).toEqual([ONE.toLowerCase()]);
  expect(errors.map(sendersErrorWords)).toEqual(['1 contains a damaged address: 0x123']);
  expect(readSenders('0x12').errors.map(sendersErrorWords)).toEqual(['1 contains no address: 0x12']);
});
