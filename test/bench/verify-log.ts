import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { exportedLog } from '../../src/api/log-export.ts';
import { verifyLogFile } from '../../src/engine/log/verify-log.ts';
import type { BenchDesk } from './desk.ts';
import { drive } from './drive.ts';
import { sponsorTraffic } from './operations.ts';
import { least, parseLines } from './parse-lines.ts';

/** Verifying a log without signatures, compared with a mere parsing of its lines. Times in seconds, the least of some rounds. */
export interface VerifyFigures {
  readonly entries: number;
  readonly parsing: number;
  readonly verifying: number;
  /** The goal is at most 6, for 100,000 decisions. */
  readonly ratio: number;
}

const REQUESTS = 100_000;
const ROUNDS = 5;

/** Has the desk make decisions, exports its log to the file, and verifies it. */
export const measureVerify = async (desk: BenchDesk, file: string): Promise<VerifyFigures> => {
  await drive(desk.url, sponsorTraffic(desk.url, desk.path), { connections: 32, requests: REQUESTS, seconds: 600 });
  await pipeline(Readable.from(exportedLog(desk.call)), createWriteStream(file));
  const verifyOnce = () => verifyLogFile(file, { withSignatures: false });
  const { ok, entries, faults } = await verifyOnce();
  if (!ok) throw new Error(`The log does not verify: ${JSON.stringify(faults[0])}`);
  const [parsing, verifying] = [await least(() => parseLines(file), ROUNDS), await least(verifyOnce, ROUNDS)];
  return { entries, parsing, verifying, ratio: Number((verifying / parsing).toFixed(1)) };
};
