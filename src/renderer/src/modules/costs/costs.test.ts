import { expect, test } from 'vitest';
import { beginOf, lastMonths, shownGroup } from './costs.ts';

test('a period contains today and the days before it', () => {
  const now = Date.UTC(2026, 10, 26, 14);
  expect(new Date(beginOf('7', now)!).toISOString()).toBe('2026-11-20T00:00:00.000Z');
  expect(beginOf('all', now)).toBeUndefined();
});

test('months are those of UTC, over the end of the year', () => {
  const months = lastMonths(Date.UTC(2026, 1, 28, 23, 59));
  expect([months[0], months[1], months[2], months.at(-1)]).toEqual(['2026-02', '2026-01', '2025-12', '2025-03']);
});

test('a group of methods is short enough for a row, also if its contracts have no name', () => {
  const [token, items] = [`0x0165${'0'.repeat(32)}eb8f`, `0x9fe4${'0'.repeat(32)}a6e0`];
  expect(shownGroup(`${token}.0x095ea7b3 + ${items}.mint`)).toBe('0x0165…eb8f.0x095ea7b3 + 0x9fe4…a6e0.mint');
  expect(shownGroup('GameItems.mint')).toBe('GameItems.mint');
});
