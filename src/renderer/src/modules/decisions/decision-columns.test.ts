import { expect, test } from 'vitest';
import { shownColumns, tracksOf } from './decision-columns.ts';

const usual = ['outcome', 'at', 'dapp', 'sender', 'reason', 'cost'];

test.each<[unknown, string[]]>([
  [null, usual],
  ['outcome', usual],
  [{}, usual],
  [[], ['dapp']],
  [
    ['cost', 'seq', 'made-up', 3],
    ['seq', 'dapp', 'cost'],
  ],
])('of what a browser kept, %j, these columns are shown', (kept, shown) => {
  expect(shownColumns(kept)).toEqual(shown);
});

test('a row has a track for each column, a narrow one for those that it keeps', () => {
  const { wide, narrow } = tracksOf(['outcome', 'dapp', 'cost']);
  expect([wide, narrow]).toEqual(['112px minmax(90px, 1fr) 136px', '108px minmax(70px, 1fr)']);
});
