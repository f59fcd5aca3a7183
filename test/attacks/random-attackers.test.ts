import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { script } from './moves.ts';
import { type Arena, startArena } from './play.ts';
import { policy } from './policy.ts';

/** As much as a minute holds; `npm run test:attacks` plays for the time of its flag. */
const BUDGET = { numRuns: 40, interruptAfterTimeLimit: 75_000 };

let arena: Arena;
beforeAll(async () => {
  arena = await startArena();
});
afterAll(() => arena.stop());

test('the operator loses no more than the policy allows, and bundlers gain little of it, whatever attackers, machines and chains do', async () => {
  const attack = fc.asyncProperty(policy, script(), (drawn, steps) => arena.play(drawn, steps));
  await fc.assert(attack, { ...BUDGET, ...(process.env['CI'] && { seed: 20_261_122 }) });
  // Attackers that get nothing would show nothing.
  expect(arena.tally.mined).toBeGreaterThan(0);
  expect(arena.tally.moves.get('bundle for themselves')).toBeGreaterThan(0);
});
