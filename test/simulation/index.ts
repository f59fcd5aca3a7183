import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { plant } from './plant.ts';
import type { Tally } from './world.ts';

/**
 * `npm run simulate`: plays seeds for a time, and reports what came of them. After a failure, exits with 1 and prints
 * the shortest story that still fails, and how to play it again.
 */

const { values: flags } = parseArgs({
  options: {
    /** Real time; default: one seed. */
    minutes: { type: 'string', default: '0' },
    /** The first seed. */
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    /** World time of each seed, in minutes; default: drawn from it. */
    length: { type: 'string' },
    /** Kinds of what happens that are left out, by name; default: drawn from the seed. */
    without: { type: 'string' },
    /** Plays every seed a second time, and compares all that happens. */
    twice: { type: 'boolean', default: false },
    /** Continues after a failure, and does not look for shorter stories. */
    all: { type: 'boolean', default: false },
    /** Plants a mistake into the sources first, by the name that `--faults` prints. */
    fault: { type: 'string' },
    /** Plants every known fault in turn instead, and plays until each is found. */
    faults: { type: 'boolean', default: false },
  },
});
const MINUTE_MS = 60_000;
/** Time of a processor to find a planted fault, in seconds. */
const FAULT_SECONDS = 60;
const SHRINK_MS = 5 * MINUTE_MS;
const STORY_LINES = 60;

// Before the sources are loaded.
if (flags.fault !== undefined) plant(flags.fault);
const { buildContracts } = await import('../../scripts/build-contracts.ts');
const { findFaults } = await import('./find-faults.ts');
const { argumentsOf, commandOf, compared, failureCode, playScenario, scenarioOf, shrink } =
  await import('./scenario.ts');
const { KINDS } = await import('./world.ts');

const scenario = (seed: number) => {
  const drawn = scenarioOf(String(seed));
  const without = flags.without?.split(',');
  const kinds = without === undefined ? drawn.kinds : new Set(KINDS.filter((kind) => !without.includes(kind)));
  return { ...drawn, kinds, minutes: Number(flags.length ?? drawn.minutes) };
};

/** True if the printed command fails in the same way. */
const failsAlone = (args: readonly string[], code: string): boolean => {
  const { stdout } = spawnSync(process.execPath, [import.meta.filename, ...args, '--all'], { encoding: 'utf8' });
  return stdout.includes(`\n${code}: 1 seeds`);
};

await buildContracts();
if (flags.faults) process.exit((await findFaults(FAULT_SECONDS)).length === 0 ? 0 : 1);
const until = Date.now() + Number(flags.minutes) * MINUTE_MS;
const total: Tally = new Map();
const traces = createHash('sha256');
const failures = new Map<string, { count: number; seed: number }>();
let [seed, runs, passedMs] = [Number(flags.seed), 0, 0];
do {
  const one = scenario(seed);
  let played = await playScenario(one);
  if (flags.twice) played = await compared(one, played);
  runs += 1;
  traces.update(played.trace);
  passedMs += played.passedMs;
  for (const [name, count] of played.tally) total.set(name, (total.get(name) ?? 0) + count);
  if (played.failure !== undefined) {
    const code = failureCode(played.failure);
    const known = failures.get(code);
    failures.set(code, { count: (known?.count ?? 0) + 1, seed: known?.seed ?? seed });
    let shortest = one;
    if (!flags.all) {
      const shrinkUntil = Date.now() + SHRINK_MS;
      [shortest, played] = await shrink(one, played, () => Date.now() > shrinkUntil);
      console.log(`${played.story.slice(-STORY_LINES).join('\n')}\n\n${played.log.slice(-10).join('')}`);
    }
    if (known === undefined) {
      const args = argumentsOf(shortest, flags.fault);
      console.log(played.failure, `\n${commandOf(args)}\n`);
      if (!flags.all && !failsAlone(args, code)) console.log('In a process of its own, this does not fail.');
    }
  }
  seed += 1;
} while (Date.now() < until && (flags.all || failures.size === 0));

const hours = (passedMs / 3_600_000).toFixed(1);
console.log(`${runs} seeds from ${flags.seed} on, ${hours} hours of the world`);
console.log(`Hash of all that happened: ${traces.digest('hex')}`);
for (const [name, count] of [...total].sort()) console.log(`  ${name}: ${count}`);
for (const [code, { count, seed: first }] of failures) console.log(`${code}: ${count} seeds, first ${first}`);
if (failures.size === 0) console.log('Everything held.');
process.exitCode = failures.size === 0 ? 0 : 1;
