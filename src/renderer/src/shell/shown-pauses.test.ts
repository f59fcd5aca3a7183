import { expect, test } from 'vitest';
import { CHAIN_BREAKER_REASON } from '../../../shared/words/breaker.ts';
import { shownPauses } from './shown-pauses.ts';

const paused = (name: string, reason: string | null, since = 1) => ({
  paymasterId: `id of ${name}`,
  name,
  since,
  reason,
});
const trip = `${CHAIN_BREAKER_REASON}Sepolia exceeded 1 ETH within 1 hour`;
const namesOf = (...dapps: Parameters<typeof shownPauses>[0]): readonly string[] =>
  shownPauses(dapps).map(({ names }) => names);

test('DApps that a breaker has paused together are one pause; others are shown one by one', () => {
  const shown = namesOf(
    paused('Game', trip),
    paused('Shop', 'Its key has leaked'),
    paused('Market', trip),
    paused('Wallet', null),
    paused('Club', 'Its key has leaked'),
  );
  expect(shown).toEqual(['Game and Market', 'Shop', 'Wallet', 'Club']);
});

test('what was paused at another time, or on another chain, is another pause', () => {
  const other = `${CHAIN_BREAKER_REASON}Base exceeded 1 ETH within 1 hour`;
  expect(namesOf(paused('Game', trip), paused('Shop', trip, 2), paused('Market', other))).toHaveLength(3);
});

test('more than three DApps are counted, not named', () => {
  const names = ['A', 'B', 'C', 'D'];
  expect(namesOf(...names.slice(1).map((name) => paused(name, trip)))).toEqual(['B, C, and D']);
  expect(namesOf(...names.map((name) => paused(name, trip)))).toEqual(['4 DApps']);
});
