import { parseArgs } from 'node:util';
import { playEverySecond } from './every-second.ts';
import { type TakeOver, playTakeOver } from './take-over.ts';

/**
 * `npm run test:continuous-backup`: a desk under load, whose copy is restored to every second of the run; then desks that
 * are killed under load, whose standbys take over. Prints figures, and exits with 1 if anything is not as it must be.
 */

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    /** Decisions a second. */
    rate: { type: 'string', default: '40' },
    takeOvers: { type: 'string', default: '10' },
    /** Decisions before the desk is killed. */
    decisions: { type: 'string', default: '1000' },
  },
});

const MOST_TAKE_OVER_MS = 15_000;

const middleAndMost = (values: readonly number[]): string => {
  const sorted = values.map((value) => Math.round(value)).toSorted((a, b) => a - b);
  return `median ${sorted[Math.floor(sorted.length / 2)]} ms, most ${sorted.at(-1)} ms`;
};

let faultCount = 0;

const restoreEverySecond = async (): Promise<void> => {
  const plan = { seconds: Math.round(Number(flags.minutes) * 60), decisionsPerSecond: Number(flags.rate) };
  const { decisions, restored } = await playEverySecond(plan);
  console.log(`${decisions} decisions signed in ${plan.seconds} s; ${restored.length} seconds restored`);
  console.log(`  age of the restored state: ${middleAndMost(restored.map(({ behindMs }) => behindMs))}`);
  console.log(`  duration of a restore: ${middleAndMost(restored.map(({ restoreMs }) => restoreMs))}`);
  const faults = restored.flatMap((one) => one.faults);
  for (const fault of faults) console.log(fault);
  faultCount += faults.length;
};

const takeOver = async (times: number): Promise<void> => {
  const played: TakeOver[] = [];
  for (let round = 0; round < times; round += 1) {
    const { ms, answered, lost } = await playTakeOver(Number(flags.decisions));
    console.log(`  a standby signed after ${Math.round(ms)} ms; of ${answered} answers, ${lost} were lost`);
    played.push({ ms, answered, lost });
  }
  console.log(`${times} standbys took over: ${middleAndMost(played.map(({ ms }) => ms))}`);
  faultCount += played.filter(({ ms, lost }) => ms > MOST_TAKE_OVER_MS || lost > 0).length;
};

if (Number(flags.minutes) > 0) await restoreEverySecond();
if (Number(flags.takeOvers) > 0) await takeOver(Number(flags.takeOvers));
console.log(faultCount === 0 ? 'Everything held.' : `${faultCount} faults`);
process.exitCode = faultCount === 0 ? 0 : 1;
