import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { buildContracts } from '../../scripts/build-contracts.ts';
import { script } from './moves.ts';
import { type Arena, Loss, startArena } from './play.ts';
import { policy } from './policy.ts';
import { addTally, newTally, tallyWords } from './tally.ts';
import type { ViolationCode } from './violation.ts';

/**
 * `npm run test:attacks`: plays random attacks for a time, and reports what came of them. After a loss, exits with 1 and
 * prints its seed and the shortest story that ends with it.
 */

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    /** Moves that are left out, by name; to look for what is rarer than what they find. */
    without: { type: 'string', default: '' },
    /** Kinds of loss that are counted and do not end a run. */
    ignore: { type: 'string', default: '' },
    /** Continues after a loss, and reports the first of each kind as it was played. */
    all: { type: 'boolean', default: false },
    /** For how long a script that ended with a loss is made shorter. */
    shrink: { type: 'string', default: '5' },
  },
});
const MINUTE = 60_000;
/** Runs on one chain: its process keeps something of each. */
const RUNS_PER_CHAIN = 200;

await buildContracts();
const until = Date.now() + Number(flags.minutes) * MINUTE;
const named = (list: string): string[] => (list === '' ? [] : list.split(','));
const steps = script(named(flags.without));
const ignored = new Map(named(flags.ignore).map((code) => [code as ViolationCode, 0]));
const found = new Map<string, { runs: number; seed: number }>();
const total = newTally();

/** Plays the script of a seed; answers what it ended with, if that was a loss. */
const playSeed = async (arena: Arena, seed: number, shrinkMs = 0): Promise<Error | undefined> => {
  const attack = fc.asyncProperty(policy, steps, (drawn, played) => arena.play(drawn, played));
  const shrinking = shrinkMs > 0 ? { interruptAfterTimeLimit: shrinkMs } : { endOnFailure: true };
  const { failed, errorInstance } = await fc.check(attack, { seed, numRuns: 1, ...shrinking });
  return failed ? (errorInstance as Error) : undefined;
};

let seed = Number(flags.seed);
console.log(`seed ${seed}`);
const isOver = (): boolean => Date.now() >= until || (!flags.all && found.size > 0);
while (!isOver()) {
  const arena = await startArena(ignored);
  for (let runs = 0; runs < RUNS_PER_CHAIN && !isOver(); runs += 1) {
    const error = await playSeed(arena, seed);
    if (error !== undefined) {
      const code = error instanceof Loss ? error.violation.code : 'ERROR';
      const before = found.get(code);
      if (before === undefined) console.log(`\nseed ${seed}\n${error.message}\n`);
      found.set(code, { runs: (before?.runs ?? 0) + 1, seed: before?.seed ?? seed });
      if (!flags.all) {
        const shortest = await playSeed(arena, seed, Number(flags.shrink) * MINUTE);
        console.log(`The shortest story, seed ${seed}:\n${shortest?.message ?? 'it does not happen again'}\n`);
      }
    }
    seed = (seed + 1) % 2 ** 31;
  }
  addTally(total, arena.tally);
  await arena.stop();
  console.log(tallyWords(total).at(0));
}
console.log(tallyWords(total).join('\n'));
for (const [code, count] of ignored) console.log(`${code}: ${count} times, ignored`);
for (const [code, { runs, seed: first }] of found) console.log(`${code}: ${runs} runs, first with seed ${first}`);
if (found.size === 0) console.log('Nothing was lost or gained beyond the policy.');
process.exitCode = found.size === 0 ? 0 : 1;
