import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildCli } from '../../scripts/build-stale.ts';
import { nodeFlags } from '../../scripts/node-flags.ts';
import { startServer } from './server-process.ts';

/** Medians over several starts of `gasdesk serve` on a folder with a vault. */
export interface StartFigures {
  /** From the start of the process until `/readyz` answers 200. */
  readonly readyMs: number;
  /** Used until then, in all threads. */
  readonly cpuMs: number;
  /** A few seconds later, without requests. */
  readonly idleRssMB: number;
}

const STARTS = 11;
const IDLE_MS = 3_000;

const start = async (cli: string, dir: string, idleMs: number): Promise<StartFigures> => {
  const env = { GASDESK_PASSPHRASE: 'benchmark' };
  const startedAt = performance.now();
  const server = await startServer([...nodeFlags, cli, 'serve', '--port', '0', '--data', dir], { env });
  try {
    while (!(await fetch(`${server.url}/readyz`)).ok) await sleep(1);
    const readyMs = performance.now() - startedAt;
    const { cpuMicros } = server.usage();
    await sleep(idleMs);
    return { readyMs, cpuMs: cpuMicros / 1000, idleRssMB: server.usage().rssBytes / 1_000_000 };
  } finally {
    await server.stop();
  }
};

const median = (values: readonly number[]): number =>
  Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN);

/** Starts the built service several times. */
export const measureStart = async (): Promise<StartFigures> => {
  const [cli, dir] = [buildCli(), mkdtempSync(join(tmpdir(), 'gasdesk-start-'))];
  try {
    // The first start makes the vault and the database.
    await start(cli, dir, 0);
    const starts: StartFigures[] = [];
    while (starts.length < STARTS) starts.push(await start(cli, dir, IDLE_MS));
    return {
      readyMs: median(starts.map(({ readyMs }) => readyMs)),
      cpuMs: median(starts.map(({ cpuMs }) => cpuMs)),
      idleRssMB: median(starts.map(({ idleRssMB }) => idleRssMB)),
    };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
};
