import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Caller } from '../../src/api/index.ts';
import { controlClient } from '../../src/engine/control/client.ts';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { deskClient } from '../../src/demo/desk-client.ts';
import { startServer } from '../bench/server-process.ts';
import { CHAIN, SIGNING_ENV, signableOperation, signingFolder } from '../support/signing-folder.ts';
import { makeTempFolder, removeTempFolder } from '../support/temp-folder.ts';
import type { RestoreTask, Restored } from './restore-seconds.ts';

const CLI = join(import.meta.dirname, '../../src/cli/index.ts');
const RESTORER = join(import.meta.dirname, 'restore-seconds.ts');
const ENV = { ...SIGNING_ENV, GASDESK_RATE_LIMIT_PER_KEY: '0', GASDESK_RATE_LIMIT_PER_SENDER: '0' };
const SECOND_MS = 1_000;
const CLIENTS = 4;
const THREADS = 2;
/** Seconds that are restored together. */
const AT_ONCE = 60;

interface Plan {
  readonly seconds: number;
  /** In all, from 4 clients. Fewer if the desk is slower. */
  readonly decisionsPerSecond: number;
}

export interface EverySecond {
  readonly decisions: number;
  readonly restored: readonly Restored[];
}

/** Asks for decisions during a time. @returns how many were signed */
const drive = async (url: string, apiKey: string, { seconds, decisionsPerSecond }: Plan): Promise<number> => {
  let [asked, signed] = [0, 0];
  const beginning = performance.now();
  const clients = Array.from({ length: CLIENTS }, async () => {
    const client = deskClient(url);
    while (performance.now() < beginning + seconds * SECOND_MS) {
      await pause(Math.max(0, beginning + (asked / decisionsPerSecond) * SECOND_MS - performance.now()));
      asked += 1;
      const { result } = await client.sponsor(CHAIN, apiKey, [signableOperation(asked), { mode: 'SPONSORED' }]);
      if ((result as { paymasterAndData: string }).paymasterAndData !== '0x') signed += 1;
    }
  });
  await Promise.all(clients);
  return signed;
};

const restoreIn = async (task: RestoreTask): Promise<Restored[]> => {
  const worker = new Worker(RESTORER, { workerData: task });
  const results: Restored[] = [];
  worker.on('message', (result: Restored) => results.push(result));
  // A thread that fails rejects this.
  await once(worker, 'exit');
  return results;
};

/** Restores the state of each of these times (epoch ms, oldest first), and compares it with the desk's. */
const restoreTimes = async (folder: string, times: readonly number[]): Promise<Restored[]> => {
  const [dir, target] = [join(folder, 'desk'), join(folder, 'copy')];
  const parts = Array.from({ length: THREADS }, (_, part) =>
    restoreIn({
      dir,
      target,
      restoredDir: join(folder, `restored-${part}`),
      times: times.filter((_time, index) => index % THREADS === part),
    }),
  );
  return (await Promise.all(parts)).flat();
};

/** Waits until the copy contains everything up to a time. */
const copiedUpTo = async (call: Caller, at: number): Promise<void> => {
  while (((await call('backups.list', {})).continuous.copiedAt ?? 0) < at) await pause(SECOND_MS);
};

/**
 * Runs a desk under load while its copy follows, and restores the state of every second. Each has to be a beginning of
 * the desk's log that verifies, whose ledger follows from it, and that lacks no more than may be missing.
 */
export const playEverySecond = async (plan: Plan): Promise<EverySecond> => {
  const folder = makeTempFolder();
  const dir = join(folder, 'desk');
  try {
    const apiKey = await signingFolder(dir, 10_000_000);
    const desk = await startServer([CLI, 'serve', '--port', '0', '--data', dir], { env: ENV });
    try {
      const call = controlClient(openDataFolder(dir).controlSocket);
      const { copiedAt } = await call('backups.follow', { target: join(folder, 'copy') });
      const first = Math.ceil((copiedAt ?? Number.NaN) / SECOND_MS) * SECOND_MS;
      const driven = drive(desk.url, apiKey, plan);
      const restored: Restored[] = [];
      // While the desk runs, so that a long run does not take twice as long.
      while (restored.length < plan.seconds) {
        const count = Math.min(AT_ONCE, plan.seconds - restored.length);
        const times = Array.from({ length: count }, (_, index) => first + (restored.length + index) * SECOND_MS);
        await copiedUpTo(call, times.at(-1) ?? first);
        restored.push(...(await restoreTimes(folder, times)));
      }
      return { decisions: await driven, restored };
    } finally {
      await desk.stop();
    }
  } finally {
    removeTempFolder(folder);
  }
};
