import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { faults } from './faults.ts';
import { find } from './find-faults.ts';
import { playScenario, scenarioOf } from './scenario.ts';
import { KINDS } from './world.ts';

it('a desk keeps every promise whatever happens to it, its chain and its clients', async () => {
  for (const seed of ['1', '2']) {
    const { failure, story } = await playScenario({ ...scenarioOf(seed), minutes: 3 });
    expect(failure, `seed ${seed}\n${story.join('\n')}`).toBeUndefined();
  }
});

it('what a simulation finds can be played again: the same seed ends with the same log', async () => {
  const scenario = { seed: '7', kinds: new Set(KINDS), minutes: 4 };
  const one = await playScenario(scenario);
  const other = await playScenario(scenario);
  expect(other).toEqual(one);
  expect(one.root).toMatch(/^[A-Za-z0-9+/]{43}=$/);
});

it('a simulation finds a mistake in what it plays', async () => {
  expect(await find('a limit has room until it is exceeded', 60)).toMatchObject({ found: 'LIMIT_EXCEEDED' });
});

it.each(faults)('the mistake "$name" still fits the sources', ({ file, changes }) => {
  const source = readFileSync(join(import.meta.dirname, '..', '..', 'src', file), 'utf8');
  for (const [before] of changes) expect(source).toContain(before);
});
