import { type Session } from 'node:inspector/promises';
import { createLog } from '../../src/engine/base/log.ts';
import { Secret } from '../../src/engine/base/secret.ts';
import { loadConfig } from '../../src/engine/config/config.ts';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { createEngine } from '../../src/engine/index.ts';

/**
 * A desk in a process of its own that reports what malformed requests do to it: `node --expose-gc desk-process.ts DIR CONSOLE PASSPHRASE`.
 * It answers each message of its parent with a {@link Health}.
 */

/** What the parent asks for: `heap` collects garbage first, `guide` counts what code has run from now on. */
export interface Ask {
  readonly heap?: boolean;
  readonly guide?: boolean;
  readonly unguide?: boolean;
  readonly stop?: boolean;
}

export interface Health {
  /** The longest time that the event loop was busy without a pause since the last answer: ms of this thread's processor time. */
  readonly busyMs: number;
  /** In use after a collection, if asked for. */
  readonly heapBytes: number;
  /** Lines of the log at level error, rejections without a handler, and warnings of the process. */
  readonly faults: readonly string[];
  /** How many places of the desk's own code have run for the first time. */
  readonly newPlaces: number;
}

export interface Started {
  readonly url: string;
  readonly operatorToken: string;
}

const TICK_MS = 20;
const OWN_CODE = /\/src\/(?:core|engine|shared|api)\//;

const faults: string[] = [];
const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};
let [busyMs, lastCpuMs] = [0, cpuMs()];
setInterval(() => {
  const now = cpuMs();
  busyMs = Math.max(busyMs, now - lastCpuMs);
  lastCpuMs = now;
}, TICK_MS).unref();
process.on('unhandledRejection', (error) =>
  faults.push(`unhandled rejection: ${String(error)} ${(error as Error).stack ?? ''}`),
);
process.on('warning', (warning) => faults.push(`warning: ${warning.message}`));

interface Guide {
  newPlaces(): Promise<number>;
  stop(): void;
}

/** Counts places of the code that run for the first time, by V8's block coverage. */
const startGuide = async (): Promise<Guide> => {
  const inspector = await import('node:inspector/promises');
  const session: Session = new inspector.Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const seen = new Set<string>();
  const newPlaces = async (): Promise<number> => {
    const before = seen.size;
    for (const { url, functions } of (await session.post('Profiler.takePreciseCoverage')).result) {
      if (!OWN_CODE.test(url)) continue;
      for (const { ranges } of functions) {
        for (const { startOffset, endOffset, count } of ranges)
          if (count > 0) seen.add(`${url}:${startOffset}-${endOffset}`);
      }
    }
    return seen.size - before;
  };
  return { newPlaces, stop: () => session.disconnect() };
};

const [dir = '', consoleFolder = '', passphrase = ''] = process.argv.slice(2);
const folder = openDataFolder(dir);
const flags = {
  port: 0,
  logLevel: 'error',
  requestTimeoutMs: 3_000,
  chainTimeoutMs: 1_000,
  webhookTimeoutMs: 1_000,
  settlementPollMs: 60_000,
};
const engine = await createEngine({
  folder,
  config: loadConfig({ flags, file: folder.config }),
  configSources: { flags },
  log: createLog({ level: 'error', write: (line) => faults.push(line) }),
  passphrase: new Secret(passphrase),
  consoleFolder,
  scrypt: { N: 1024, r: 8, p: 1 },
});
const url = await engine.serve();
let guide: Guide | undefined;
process.on('message', (ask: Ask) => {
  const answer = async (): Promise<void> => {
    if (ask.guide === true) guide = await startGuide();
    if (ask.unguide === true) {
      guide?.stop();
      guide = undefined;
    }
    if (ask.stop === true) await engine.stop();
    if (ask.heap === true) for (let times = 0; times < 3; times += 1) globalThis.gc?.();
    const health: Health = {
      busyMs,
      heapBytes: process.memoryUsage().heapUsed,
      faults: faults.splice(0),
      newPlaces: (await guide?.newPlaces()) ?? 0,
    };
    [busyMs, lastCpuMs] = [0, cpuMs()];
    process.send?.(health);
    if (ask.stop === true) process.disconnect();
  };
  void answer();
});
// The parent has ended, or this process has stopped.
process.on('disconnect', () => process.exit());
process.send?.({ url, operatorToken: engine.operatorToken.reveal() } satisfies Started);
