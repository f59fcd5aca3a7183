import { createWriteStream } from 'node:fs';
import { exportDecisions } from '../../src/cli/export-decisions.ts';
import { decisionsIn, replayDecisions } from '../../src/cli/replay-decisions.ts';
import type { BenchDesk } from './desk.ts';
import { drive } from './drive.ts';
import { sponsorTraffic } from './operations.ts';
import { least, parseLines } from './parse-lines.ts';

/** Deciding again without signatures, compared with a mere parsing of the lines. Times in seconds, the least of some rounds. */
export interface ReplayFigures {
  readonly decisions: number;
  readonly parsing: number;
  readonly replaying: number;
  /** The goal is at most 4 (behaviour 9.3). */
  readonly ratio: number;
}

const REQUESTS = 20_000;
const ROUNDS = 5;

/** Has the desk make decisions, exports them to the file, and decides them again. */
export const measureReplay = async (desk: BenchDesk, file: string): Promise<ReplayFigures> => {
  await drive(desk.url, sponsorTraffic(desk.url, desk.path), { connections: 32, requests: REQUESTS, seconds: 60 });
  const out = createWriteStream(file);
  await exportDecisions(desk.call, {}, out);
  await new Promise((resolve) => out.end(resolve));
  const replayOnce = () => replayDecisions(decisionsIn(file), {}, false);
  const { decisions, same } = await replayOnce();
  if (same !== decisions) throw new Error(`Only ${same} of ${decisions} decisions are decided the same again`);
  const [parsing, replaying] = [await least(() => parseLines(file), ROUNDS), await least(replayOnce, ROUNDS)];
  return { decisions, parsing, replaying, ratio: Number((replaying / parsing).toFixed(1)) };
};
