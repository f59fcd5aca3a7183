import { createWriteStream } from 'node:fs';
import { exportDecisions } from '../../src/cli/export-decisions.ts';
import { tryPolicy } from '../../src/cli/try-policy.ts';
import type { BenchDesk } from './desk.ts';
import { drive } from './drive.ts';
import { measure } from './measure.ts';
import { sponsorTraffic } from './operations.ts';
import { least, parseLines } from './parse-lines.ts';

/** Trying a policy on past decisions, and what that does to requests meanwhile. Times in seconds. */
export interface TrialFigures {
  readonly decisions: number;
  /** A mere parsing of the same decisions as lines. */
  readonly parsing: number;
  readonly trying: number;
  /** The goal is at most 5. */
  readonly ratio: number;
  /** The slowest hundredth of the requests, each the median of some rounds; the goal is at most 1.5 times. */
  readonly p99Ms: { readonly without: number; readonly during: number; readonly ratio: number };
}

const REQUESTS = 100_000;
const ROUNDS = 5;
const LOAD = { connections: 8, seconds: 5 };

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;

/** The policy with a limit that the traffic reaches: the draft's ledger is another than the recorded one. */
const draftOf = async ({ call, paymasterId }: BenchDesk): Promise<string> => {
  const { text } = await call('policies.export', { paymasterId });
  return text.replace('1000000000', '50');
};

/** Has the desk make decisions, and tries a draft on them. */
export const measureTrial = async (desk: BenchDesk, file: string): Promise<TrialFigures> => {
  const { call, paymasterId } = desk;
  const traffic = sponsorTraffic(desk.url, desk.path);
  await drive(desk.url, traffic, { connections: 32, requests: REQUESTS, seconds: 600 });
  const out = createWriteStream(file);
  await exportDecisions(call, {}, out);
  await new Promise((resolve) => out.end(resolve));

  const tried = { paymasterId, text: await draftOf(desk), filters: { last: REQUESTS } };
  const never = new Promise(() => undefined);
  /** The one after the other, until the last is cancelled. */
  const tryUntil = (stopped: Promise<unknown>): Promise<unknown> =>
    tryPolicy(call, tried, stopped).then(
      () => tryUntil(stopped),
      () => undefined,
    );
  const tryOnce = () => tryPolicy(call, tried, never);
  const { report } = await tryOnce();
  const { decisions, unknown, nowDenied } = report;
  if (unknown > 0 || nowDenied === 0) throw new Error(`${unknown} unknown, ${nowDenied} denied of ${decisions}`);
  const [parsing, trying] = [await least(() => parseLines(file), ROUNDS), await least(tryOnce, ROUNDS)];

  const p99s = { without: [] as number[], during: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    p99s.without.push((await measure(desk, traffic, LOAD)).p99Ms);
    const measured = measure(desk, traffic, LOAD);
    const trials = tryUntil(measured);
    p99s.during.push((await measured).p99Ms);
    await trials;
  }
  const [without, during] = [median(p99s.without), median(p99s.during)];
  return {
    decisions,
    parsing,
    trying,
    ratio: Number((trying / parsing).toFixed(1)),
    p99Ms: { without, during, ratio: Number((during / without).toFixed(2)) },
  };
};
