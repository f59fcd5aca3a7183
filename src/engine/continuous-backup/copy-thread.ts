import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Copied } from './follow-database.ts';
import type { TargetPlace } from './target.ts';

export interface CopyTask {
  readonly dir: string;
  readonly place: TargetPlace;
  readonly copy: string;
  readonly key: Uint8Array;
  readonly desk: string;
}

interface CopyResult {
  readonly copied?: Copied;
  readonly bytesSince?: number;
  readonly snapshotBytes?: number;
}

export type ToCopy =
  { readonly id: number; readonly call: 'copy' | 'snapshot' } | { readonly call: 'end' } | { readonly now: number };

export type FromCopy =
  | { readonly ask: 'now' | 'ready' }
  | { readonly id: number; readonly result: CopyResult }
  | { readonly id: number; readonly error: string; readonly isBroken: boolean };

/** The copy has a gap, so a new one has to begin. */
export class CopyBroken extends Error {}

export interface CopyThread {
  /** See `DatabaseFollower`. */
  readonly copy: () => Promise<Copied & { readonly bytesSince: number }>;
  readonly snapshot: () => Promise<number>;
  readonly end: () => Promise<void>;
}

/** The thread's script, which is next to this file, as source or in the bundle. */
const SCRIPT = join(import.meta.dirname, `copy-worker${extname(import.meta.filename)}`);

interface Waiting {
  readonly resolve: (result: CopyResult) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Follows a database in a separate thread, so that decisions do not wait for reading, compressing, encrypting and
 * sending. Resolves when the thread follows.
 */
export const startCopyThread = async (task: CopyTask, now: () => number): Promise<CopyThread> => {
  const worker = new Worker(SCRIPT, { workerData: task });
  const send = (message: ToCopy): void => worker.postMessage(message);
  const waiting = new Map<number, Waiting>();
  let calls = 0;
  let error: Error = new CopyBroken('The thread of the continuous backup has ended');
  worker.on('error', (cause) => (error = new CopyBroken((cause as Error).message, { cause })));
  const state = { hasEnded: false };
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve())).then(() => {
    state.hasEnded = true;
    for (const { reject } of waiting.values()) reject(error);
  });
  const isReady = new Promise<void>((resolve) => {
    worker.on('message', (message: FromCopy) => {
      if ('ask' in message) {
        if (message.ask === 'now') send({ now: now() });
        else resolve();
        return;
      }
      const { resolve: done, reject } = waiting.get(message.id) ?? {};
      waiting.delete(message.id);
      if ('result' in message) done?.(message.result);
      else reject?.(message.isBroken ? new CopyBroken(message.error) : new Error(message.error));
    });
  });
  const call = (what: 'copy' | 'snapshot'): Promise<CopyResult> =>
    new Promise((resolve, reject) => {
      const id = (calls += 1);
      if (state.hasEnded) {
        reject(error);
        return;
      }
      waiting.set(id, { resolve, reject });
      send({ id, call: what });
    });
  await Promise.race([isReady, ended]);
  if (state.hasEnded) throw error;
  return {
    async copy() {
      const { copied, bytesSince = 0 } = await call('copy');
      if (copied === undefined) throw error;
      return { ...copied, bytesSince };
    },
    snapshot: async () => (await call('snapshot')).snapshotBytes ?? 0,
    end() {
      send({ call: 'end' });
      return ended;
    },
  };
};
