import { parentPort, workerData } from 'node:worker_threads';
import { systemEntropy } from '../base/clock.ts';
import { WalBroken } from '../store/sqlite/wal.ts';
import type { CopyTask, FromCopy, ToCopy } from './copy-thread.ts';
import { type DatabaseFollower, followDatabase } from './follow-database.ts';
import { openTarget } from './open-target.ts';

/** The thread's side of `startCopyThread`. */

const port = parentPort;
if (port === null) throw new Error('This is started as a thread');

const post = (message: FromCopy): void => port.postMessage(message);
const { dir, place, copy, key, desk } = workerData as CopyTask;

const times: ((at: number) => void)[] = [];
const now = (): Promise<number> => {
  post({ ask: 'now' });
  return new Promise((resolve) => void times.push(resolve));
};

let follower: DatabaseFollower | undefined;
const open = (): DatabaseFollower => {
  follower ??= followDatabase({ dir, target: openTarget(place), copy, key, desk, entropy: systemEntropy, now });
  return follower;
};

const run = async (call: 'copy' | 'snapshot') => {
  const opened = open();
  if (call === 'snapshot') return { snapshotBytes: await opened.snapshot() };
  return { copied: await opened.copy(), bytesSince: opened.bytesSince() };
};

port.on('message', (message: ToCopy) => {
  if ('now' in message) {
    times.shift()?.(message.now);
    return;
  }
  if (message.call === 'end') {
    follower?.close();
    // Requests to the target may still be unanswered.
    process.exit();
  }
  const { id } = message;
  run(message.call).then(
    (result) => post({ id, result }),
    (error: unknown) => {
      const words = error instanceof Error ? error.message : String(error);
      post({ id, error: words, isBroken: error instanceof WalBroken });
    },
  );
});
open();
post({ ask: 'ready' });
