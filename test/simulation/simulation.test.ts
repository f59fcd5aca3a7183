import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
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

it('a disk that fails reads ends no process', async () => {
  const { failure } = await playScenario({ seed: '3', kinds: new Set(['clients', 'bundler', 'bad disk']), minutes: 2 });
  expect(failure).toBeUndefined();
});

it('what a simulation finds can be played again: the same seed ends with the same log', async () => {
  const scenario = { seed: '7', kinds: new Set(KINDS), minutes: 4 };
  const one = await playScenario(scenario);
  const other = await playScenario(scenario);
  expect(other).toEqual(one);
  expect(one.root).toMatch(/^[A-Za-z0-9+/]{43}=$/);
});

it('a simulation finds a mistake in what it plays', async () => {
  expect(await find('an answer does not wait for its commit', 60)).toMatchObject({ found: 'ANSWERED_NOT_STORED' });
});

/** Runs `npm run simulate` with these arguments, by the sources. @returns what it prints to a user */
const simulate = async (args: readonly string[]): Promise<string> => {
  const playing = spawn(process.execPath, [join(import.meta.dirname, 'index.ts'), ...args]);
  let text = '';
  playing.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const [code] = (await once(playing, 'close')) as [number];
  expect(code, text).toBe(1);
  return text;
};

it('a failure becomes a shorter story, and the printed command plays that story again', async () => {
  const text = await simulate(['--seed', '1', '--minutes', '5', '--fault', 'an answer does not wait for its commit']);
  expect(text).toContain('Violation: ANSWERED_NOT_STORED');
  const [, printed = ''] = /^npm run simulate -- (.*)$/m.exec(text) ?? [];
  const args = [...printed.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  const texts = { seed: { type: 'string' }, length: { type: 'string' }, without: { type: 'string' } } as const;
  const { seed, length, without = '' } = parseArgs({ args, options: texts, strict: false }).values;
  const { kinds, minutes } = scenarioOf(String(seed));
  expect(Number(length)).toBeLessThan(minutes);
  const left = KINDS.filter((kind) => !String(without).split(',').includes(kind));
  expect(left).toContain('full disk');
  expect(left.length).toBeLessThan(kinds.size / 2);

  const again = await simulate([...args, '--all']);
  const violation = /^Violation: .*$/m;
  expect(violation.exec(again)?.[0]).toBe(violation.exec(text)?.[0]);
});

it.each(faults)('the mistake "$name" still fits the sources', ({ changes }) => {
  for (const { file, before } of changes) {
    expect(readFileSync(join(import.meta.dirname, '..', '..', 'src', file), 'utf8')).toContain(before);
  }
});
