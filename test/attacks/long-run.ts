import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { buildContracts } from '../../scripts/build-contracts.ts';
import { script } from './moves.ts';
import { Loss, startArena } from './play.ts';
import { policy } from './policy.ts';
import type { ViolationCode } from './violation.ts';

/** `npm run test:attacks`: plays random attacks for a time, and says what came of them. Exits with 1 after a loss. */

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    /** Moves that are left out, by name; to look for what is rarer than what they find. */
    without: { type: 'string', default: '' },
    /** Kinds of loss that are counted and do not end a run. */
    ignore: { type: 'string', default: '' },
    /** Goes on after a loss, and tells the first of each kind. */
    all: { type: 'boolean', default: false },
    /** Makes a script that ended with a loss as short as it can be. */
    shrink: { type: 'boolean', default: false },
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
const found = new Map<string, { runs: number; seed: number; story: string }>();
const total = { runs: 0, asked: 0, signed: 0, mined: 0, paidWei: 0n, bundlersOwnPriceWei: 0n, mostGainWei: 0n };
const answers = new Map<string, number>();
let seed = Number(flags.seed);
console.log(`seed ${seed}`);
while (Date.now() < until && (flags.all || found.size === 0)) {
  const arena = await startArena(ignored);
  for (let runs = 0; runs < RUNS_PER_CHAIN && Date.now() < until && (flags.all || found.size === 0); runs += 1) {
    const attack = fc.asyncProperty(policy, steps, (drawn, played) => arena.play(drawn, played));
    const { failed, errorInstance: error } = await fc.check(attack, { seed, numRuns: 1, endOnFailure: !flags.shrink });
    if (failed) {
      const code = error instanceof Loss ? error.violation.code : 'ERROR';
      const before = found.get(code);
      const story = (error as Error).message;
      if (before === undefined) console.log(`\nseed ${seed}\n${story}\n`);
      found.set(code, { runs: (before?.runs ?? 0) + 1, seed: before?.seed ?? seed, story: before?.story ?? story });
    }
    seed = (seed + 1) % 2 ** 31;
  }
  const { tally } = arena;
  total.runs += tally.runs;
  total.asked += tally.asked;
  total.signed += tally.signed;
  total.mined += tally.mined;
  total.paidWei += tally.paidWei;
  total.bundlersOwnPriceWei += tally.bundlersOwnPriceWei;
  if (tally.mostGainWei > total.mostGainWei) total.mostGainWei = tally.mostGainWei;
  for (const [code, count] of tally.answers) answers.set(code, (answers.get(code) ?? 0) + count);
  await arena.stop();
  console.log(
    `${total.runs} runs: ${total.asked} asked, ${total.signed} signed, ${total.mined} mined, ${total.paidWei} wei paid`,
  );
}
console.log(
  `bundlers' own price: ${total.bundlersOwnPriceWei} wei; most given to a bundler above its cost: ${total.mostGainWei} wei`,
);
const answered = [...answers].sort(([, a], [, b]) => b - a);
console.log(`the desk answered: ${answered.map(([code, count]) => `${count} ${code}`).join(', ')}`);
for (const [code, count] of ignored) console.log(`${code}: ${count} times, ignored`);
for (const [code, { runs, seed: first }] of found) console.log(`${code}: ${runs} runs, first with seed ${first}`);
if (found.size === 0) console.log('Nothing was lost beyond the policy.');
process.exitCode = found.size === 0 ? 0 : 1;
