import { createHook } from 'node:async_hooks';
import { Session } from 'node:inspector/promises';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Caller } from '../../src/api/index.ts';
import { quickEngine } from '../support/quick-engine.ts';
import { prepareDapp } from './desk.ts';
import { drive } from './drive.ts';
import { sponsorTraffic } from './operations.ts';
import { typicalRules } from './scenarios.ts';

/** What one sponsored request passes through, after requests like it. */
export interface RequestPath {
  /** Files of `src` of which at least one function runs, relative to it, sorted. */
  readonly files: readonly string[];
  /** Promises that are made per request, by Node's own code too. */
  readonly promises: number;
}

const REQUESTS = 50;
/** What the engine does in the background only adds to a round, so the least counts. */
const ROUNDS = 8;
const SOURCES = new URL('../../src/', import.meta.url).href;

const countPromises = async (run: () => Promise<unknown>): Promise<number> => {
  let promises = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === 'PROMISE') promises += 1;
    },
  }).enable();
  await run();
  hook.disable();
  return promises;
};

const filesRun = async (run: () => Promise<unknown>): Promise<string[]> => {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await run();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  return result
    .filter(({ url, functions }) => url.startsWith(SOURCES) && functions.some(({ ranges }) => ranges[0]?.count !== 0))
    .map(({ url }) => url.slice(SOURCES.length))
    .toSorted();
};

/** Runs an engine in this process, from the sources. */
export const measureRequestPath = async (): Promise<RequestPath> => {
  const dir = mkdtempSync(join(tmpdir(), 'gasdesk-path-'));
  const engine = await quickEngine(dir);
  try {
    const call = engine.service.call as Caller;
    const dapp = await prepareDapp(call);
    await typicalRules({ call, paymasterId: dapp.paymasterId });
    const url = await engine.serve();
    const traffic = sponsorTraffic(url, dapp.path);
    const ask = (requests: number) => drive(url, traffic, { connections: 1, requests });
    // All users once, so that their accounts are in memory.
    await ask(1_500);
    let promises = Infinity;
    for (let round = 0; round < ROUNDS; round += 1) {
      promises = Math.min(promises, await countPromises(() => ask(REQUESTS)));
    }
    return { promises: Math.round(promises / REQUESTS), files: await filesRun(() => ask(1)) };
  } finally {
    await engine.stop();
    rmSync(dir, { recursive: true, force: true });
  }
};
