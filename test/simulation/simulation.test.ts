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

it('a simulation finds a mistake in what it plays', async () => {
  expect(await find('an answer does not wait for its commit', 60)).toMatchObject({ found: 'ANSWERED_NOT_STORED' });
});

/** Runs `npm run simulate` with these arguments, by the sources. @returns what it prints to a user */
const simulate = async (args: readonly string[], { exits = 0, threads = 4 } = {}): Promise<string> => {
  const env = { ...process.env, UV_THREADPOOL_SIZE: String(threads) };
  const playing = spawn(process.execPath, [join(import.meta.dirname, 'index.ts'), ...args], { env });
  let text = '';
  playing.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const [code] = (await once(playing, 'close')) as [number];
  expect(code, text).toBe(exits);
  return text;
};

it('a seed is played in the same way on every machine, alone or after others', async () => {
  const everything = ['--length', '2', '--without', 'nothing', '--seed', '7'];
  const one = simulate(everything, { threads: 1 });
  const many = simulate([...everything, '--twice'], { threads: 16 });
  expect(await one).toBe(await many);
  expect(await one).toMatch(/^Hash of all that happened: [0-9a-f]{64}$/m);
});

it('a failure becomes a shorter story, and the printed command plays that story again', async () => {
  const text = await simulate(['--seed', '1', '--minutes', '5', '--fault', 'an answer does not wait for its commit'], {
    exits: 1,
  });
  expect(text).not.toContain('In a process of its own');
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

  const again = await simulate([...args, '--all'], { exits: 1 });
  const violation = /^Violation: .*$/m;
  expect(violation.exec(again)?.[0]).toBe(violation.exec(text)?.[0]);
});

it.each(faults)('the mistake "$name" still fits the sources', ({ changes }) => {
  for (const { file, before } of changes) {
    expect(readFileSync(join(import.meta.dirname, '..', '..', 'src', file), 'utf8')).toContain(before);
  }
});
