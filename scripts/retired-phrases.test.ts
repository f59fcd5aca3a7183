import { expect, it } from 'vitest';
import { retiredPhrases } from './retired-phrases.ts';

it.each([
  ['<NButton>Let it bind</NButton>', '"Let it bind": say Enforce'],
  ["title: 'Budget in all'", '"Budget in all": say Total budget'],
  ['is required. For none, write "rules: []"', '"For none, write": say use [] for none'],
])('%s is found', (text, message) => {
  expect(retiredPhrases(text)).toEqual([message]);
});

it('what replaces a phrase is not retired itself', () => {
  expect(retiredPhrases('Enforce. Total budget. The operations of each user. 11 days. Read-only.')).toEqual([]);
});
