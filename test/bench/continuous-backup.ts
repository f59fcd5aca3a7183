import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchDesk } from './desk.ts';
import { drive } from './drive.ts';
import { type Figures, measure } from './measure.ts';
import { sponsorTraffic } from './operations.ts';
import { typicalRules } from './scenarios.ts';

/** What a continuous backup to a folder costs, against the same desk without it. */
export interface ContinuousBackupFigures {
  readonly rounds: readonly { readonly without: Figures; readonly following: Figures; readonly behindMs: number }[];
  /** Medians of the rounds, following divided by without. */
  readonly ratio: { readonly requestsPerSecond: number; readonly cpu: number; readonly p99: number };
  /** The most that the copy was behind at the end of a round. */
  readonly mostBehindMs: number;
}

const ROUNDS = 6;
const WARM_UP = { connections: 32, requests: 15_000, seconds: 20 };

const median = (values: readonly number[]): number =>
  Number((values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN).toFixed(3));

/** Measures the desk in turn with and without a continuous backup. Whatever else the machine does slows both. */
export const measureContinuousBackup = async (
  desk: BenchDesk,
  load: { readonly connections: number; readonly seconds: number },
): Promise<ContinuousBackupFigures> => {
  const target = mkdtempSync(join(tmpdir(), 'gasdesk-copy-'));
  const { call } = desk;
  try {
    await typicalRules(desk);
    await call('config.set', { key: 'rateLimitPerKey', value: 0 });
    const traffic = sponsorTraffic(desk.url, desk.path);
    await drive(desk.url, traffic, WARM_UP);
    const rounds: ContinuousBackupFigures['rounds'][number][] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await call('backups.follow', { target: null });
      const without = await measure(desk, traffic, load);
      await call('backups.follow', { target });
      // Each round begins a new copy, which sends the whole database; that is not part of the round.
      while ((await call('backups.follow', { target })).copiedAt === null);
      const following = await measure(desk, traffic, load);
      const { behindMs } = (await call('backups.list', {})).continuous;
      rounds.push({ without, following, behindMs });
    }
    const ratioOf = (of: (figures: Figures) => number): number =>
      median(rounds.map(({ without, following }) => of(following) / of(without)));
    return {
      rounds,
      ratio: {
        requestsPerSecond: ratioOf(({ requestsPerSecond }) => requestsPerSecond),
        cpu: ratioOf(({ cpuMicros }) => cpuMicros),
        p99: ratioOf(({ p99Ms }) => p99Ms),
      },
      mostBehindMs: Math.max(...rounds.map(({ behindMs }) => behindMs)),
    };
  } finally {
    rmSync(target, { recursive: true, force: true });
  }
};
