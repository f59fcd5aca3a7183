import { parseArgs } from 'node:util';
import { beginReplayCounts } from '../support/replay-counts.ts';
import { type FoundFault, play } from './play.ts';

/**
 * `npm run test:malformed`: sends malformed requests over every way in, by a seed, and reports what came of them. Exits
 * with 1 if a promise was broken.
 */

const MINUTE_MS = 60_000;
/** Faults of a kind that are shown with their request. */
const MOST_SHOWN = 2;

const { values: flags } = parseArgs({
  options: {
    /** In all. */
    requests: { type: 'string', default: '100000' },
    minutes: { type: 'string', default: '600' },
    /** Requests to one desk, before everything that it has stored is read again. */
    round: { type: 'string', default: '100000' },
    /** The first one; each round has the next. */
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    /** Names of ways, with commas between them. Default: all. */
    only: { type: 'string', default: '' },
    /** Percentage of each round in which requests that run new code are kept, to be changed further. */
    guided: { type: 'string', default: '10' },
  },
});
const until = Date.now() + Number(flags.minutes) * MINUTE_MS;
const wanted = Number(flags.requests);
const counts = new Map<string, number>();
const busiestMs = new Map<string, number>();
const kinds = new Map<string, number>();
let [sent, decisions, entries] = [0, 0, 0];

/** The same fault, whatever numbers and hashes are in it. */
const kindOf = ({ way, what }: FoundFault): string =>
  `${way}: ${what.replaceAll(/[0-9a-f]{6,}|\d+/gi, '#').slice(0, 160)}`;

const report = (fault: FoundFault, seed: string): void => {
  const kind = kindOf(fault);
  const known = kinds.get(kind) ?? 0;
  kinds.set(kind, known + 1);
  if (known < MOST_SHOWN) console.log(`\nseed ${seed}, ${fault.way}: ${fault.what}\n${fault.request}`);
};

beginReplayCounts();
for (let seed = Number(flags.seed); sent < wanted && Date.now() < until; seed += 1) {
  const requests = Math.min(Number(flags.round), wanted - sent);
  const only = flags.only === '' ? [] : flags.only.split(',');
  const played = await play({ seed: String(seed), requests, only, until, guidedPercent: Number(flags.guided) });
  for (const fault of played.found) report(fault, String(seed));
  for (const [name, count] of played.counts) {
    counts.set(name, (counts.get(name) ?? 0) + count);
    sent += count;
  }
  for (const [name, ms] of played.busiestMs) busiestMs.set(name, Math.max(ms, busiestMs.get(name) ?? 0));
  decisions += played.again.decisions;
  entries += played.again.entries;
  const [first, last] = played.heapBytes.map((bytes) => (bytes / 2 ** 20).toFixed(1));
  console.log(
    `seed ${seed}: ${sent} requests so far; ${played.newPlaces} places of code found while guided; heap ${first} → ${last} MiB`,
  );
}
for (const [name, count] of [...counts].sort()) console.log(`  ${name}: ${count}`);
for (const [name, ms] of busiestMs) console.log(`  longest by itself, ${name}: ${Math.round(ms)} ms`);
console.log(`${sent} requests; ${decisions} decisions and ${entries} log entries read again`);
for (const [kind, count] of kinds) console.log(`${count} × ${kind}`);
if (kinds.size === 0) console.log('Everything held.');
process.exitCode = kinds.size === 0 ? 0 : 1;
