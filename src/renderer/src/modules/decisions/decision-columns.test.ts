import { expect, test } from 'vitest';
import { leftOut, shownColumns, tracksOf } from './decision-columns.ts';

const usual = ['outcome', 'at', 'dapp', 'sender', 'calls', 'reason', 'cost'];

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
  const { roomy, wide, narrow, phone } = tracksOf(['outcome', 'calls', 'reason', 'cost']);
  expect([roomy, wide, narrow, phone]).toEqual([
    '112px minmax(110px, 1.6fr) minmax(120px, 2.4fr) 136px',
    '112px minmax(120px, 2.4fr) 136px',
    '108px minmax(90px, 1.6fr)',
    '108px minmax(90px, 1.6fr)',
  ]);
});

test('a column that the operator added keeps its track in every list', () => {
  const { roomy, wide, narrow, phone } = tracksOf(['seq', 'outcome', 'sender', 'code']);
  expect([roomy, wide, narrow, phone]).toEqual([
    '72px 112px 112px minmax(120px, 1.2fr)',
    '72px 112px 112px minmax(120px, 1.2fr)',
    '72px 108px minmax(120px, 1.2fr)',
    '72px 108px minmax(120px, 1.2fr)',
  ]);
  expect([leftOut('code'), leftOut('sender')]).toEqual([undefined, 'wide-only']);
});
