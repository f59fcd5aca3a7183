import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDesk } from './desk.ts';
import { drive } from './drive.ts';
import { sponsorTraffic } from './operations.ts';
import { typicalRules } from './scenarios.ts';

/** What sponsored requests leave to V8's garbage collector. The same on every machine, within a few percent. */
export interface KeptObjects {
  /** Memory that a request allocates, in bytes. */
  readonly allocatedPerRequest: number;
  /** The part of it that collections of young objects keep until the next full collection, in bytes. */
  readonly keptPerRequest: number;
  readonly fullCollections: number;
}

/** A line of `--trace-gc`: the thread, and the size of its heap before and after the collection, MB. */
const COLLECTION = /^\[\d+:(\w+)\].* (Scavenge|Mark-Compact)[^\d]* ([\d.]+) \([\d.]+\) -> ([\d.]+) /;

interface Collection {
  readonly isFull: boolean;
  readonly before: number;
  readonly after: number;
}

const CONNECTIONS = 32;
/** Until then, code is compiled, and its objects are old when it is done. */
const WARM_UP = 8_000;
const BYTES = 1_000_000;

/** Starts a desk and drives it. */
export const measureKeptObjects = async (requests = 12_000): Promise<KeptObjects> => {
  let thread: string | undefined;
  let collections: Collection[] = [];
  const printed = (line: string): void => {
    const [, name, kind, before, after] = COLLECTION.exec(line) ?? [];
    // The engine's own thread is the first one to collect anything.
    thread ??= name;
    if (name === undefined || name !== thread) return;
    collections.push({ isFull: kind === 'Mark-Compact', before: Number(before), after: Number(after) });
  };
  const dir = mkdtempSync(join(tmpdir(), 'gasdesk-kept-'));
  const log = openSync(join(dir, 'desk.log'), 'a');
  try {
    const desk = await startDesk(join(dir, 'desk'), log, ['--trace-gc'], { printed });
    try {
      await typicalRules(desk);
      const traffic = sponsorTraffic(desk.url, desk.path);
      await drive(desk.url, traffic, { connections: CONNECTIONS, requests: WARM_UP });
      collections = [];
      await drive(desk.url, traffic, { connections: CONNECTIONS, requests });
    } finally {
      await desk.stop();
    }
  } finally {
    closeSync(log);
    rmSync(dir, { recursive: true, force: true });
  }
  let [allocated, kept] = [0, 0];
  for (const [index, { isFull, before, after }] of collections.entries()) {
    const last = collections[index - 1];
    if (last === undefined) continue;
    allocated += before - last.after;
    if (!isFull) kept += after - last.after;
  }
  return {
    allocatedPerRequest: Math.round((allocated * BYTES) / requests),
    keptPerRequest: Math.round((kept * BYTES) / requests),
    fullCollections: collections.filter(({ isFull }) => isFull).length,
  };
};
