import { expect, test } from 'vitest';
import { matchingEntries, paletteEntries } from './palette-entries.ts';
import { pages } from './pages.ts';

const desk = {
  pages,
  dapps: [
    { paymasterId: 'a1', name: 'Items' },
    { paymasterId: 'b2', name: 'Gas works' },
  ],
  isReview: false,
  isPaused: false,
  hasSession: true,
};
const found = (typed: string, rest: Partial<typeof desk> = {}): string[] =>
  matchingEntries(paletteEntries({ ...desk, ...rest }), typed).map(({ title, note }) => `${title} (${note})`);

test('nothing typed lists everything, pages first', () => {
  expect(found('').slice(0, 3)).toEqual(['Overview (Page · g o)', 'Decisions (Page · g d)', 'Inspect (Page · g i)']);
});

test('every word has to be in title or note; titles that begin with what is typed come first', () => {
  expect(found('items tank')).toEqual(['Items (DApp · Gas tank)']);
  expect(found('gas')[0]).toBe('Gas works (DApp · Policy)');
  expect(found('LIMIT gas')).toEqual(['Add a spending limit (New rule for Gas works)']);
  expect(found('nonsense')).toEqual([]);
});

test('a session is ended if it exists', () => {
  expect([found('sign out'), found('sign out', { hasSession: false })]).toEqual([['Sign out (Action)'], []]);
});

test('a paused desk is resumed, and a review has nothing to manage', () => {
  expect(found('sponsorship')).toEqual(['Pause all sponsorship (Action)']);
  expect(found('sponsorship', { isPaused: true })).toEqual(['Resume all sponsorship (Action)']);
  expect(found('sponsorship', { isReview: true })).toEqual([]);
});
