import { expect, it } from 'vitest';
import { playScenario, scenarioOf } from './scenario.ts';
import { KINDS } from './world.ts';

it('a desk keeps every promise whatever happens to it, its chain and its clients', async () => {
  for (const seed of ['1', '2', '3', '4']) {
    const { failure, story } = await playScenario({ ...scenarioOf(seed), minutes: 5 });
    expect(failure, `seed ${seed}\n${story.join('\n')}`).toBeUndefined();
  }
});

it('what a simulation finds can be played again: the same seed ends with the same log', async () => {
  const scenario = { seed: '7', kinds: new Set(KINDS), minutes: 10 };
  const one = await playScenario(scenario);
  const other = await playScenario(scenario);
  expect(other).toEqual(one);
  expect(one.root).toMatch(/^[A-Za-z0-9+/]{43}=$/);
});
