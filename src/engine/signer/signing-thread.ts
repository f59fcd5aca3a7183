import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Hex } from '../../shared/schema/hex.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { binding } from './secp256k1-binding.ts';
import { sign, toBytes } from './sign.ts';
import { SLOTS, createSlotMemory, slotsIn } from './signing-slots.ts';

/**
 * Signs digests while the engine decides other operations of the same commit. It only saves time: a digest that the
 * thread has not signed yet when its signature is needed is signed by the engine itself. Signatures are deterministic,
 * so both are equal.
 */
export interface SigningThread {
  /**
   * Begins to sign a 32-byte digest.
   *
   * @returns a function that returns the signature, `r || s || v`. Throws if the private key is invalid for secp256k1
   */
  begin(privateKey: Hex, digest: Hex): () => Hex;
  end(): Promise<void>;
}

/** The thread's script, which is next to this file, as source or in the bundle. */
const SCRIPT = join(import.meta.dirname, `signing-worker${extname(import.meta.filename)}`);

/** It keeps nothing. */
const MEMORY = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 1 };

const hexOf = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`;

/**
 * Number of digests of one commit from which on the thread takes part. With fewer, waking it takes longer than it
 * saves. Until that many requests come at once, there is no thread.
 */
const MANY = 4;

/** A commit that fails does not ask for its signatures. After this time, their digests are taken from the thread. */
const ABANDONED_MS = 1_000;

/** A signature takes far less. */
const LONGEST_SIGNING_MS = 1_000;

interface SigningThreadOptions {
  readonly log: Pick<Log, 'warn'>;
  readonly clock: Pick<Clock, 'setTimer'>;
  /** Made by `createSlotMemory`. */
  readonly memory?: SharedArrayBuffer;
}

/** Without the native library, or if no thread can be started, signing takes place in the engine only. */
export const createSigningThread = ({
  log,
  clock,
  memory = createSlotMemory(),
}: SigningThreadOptions): SigningThread => {
  const slots = slotsIn(memory);
  let worker: Worker | undefined;
  let mayStart = binding !== undefined;
  /** Number of the newest digest. */
  let newest = 0;
  /** Digests of the current commit whose signatures have not been asked for, and those of commits that have failed. */
  let open = new Set<number>();
  let cancelTimer: (() => void) | undefined;

  /** Takes a digest from the thread, and removes its key. @returns true if the thread has signed it */
  const take = (number: number): boolean => {
    open.delete(number);
    // A new one, for the reason that `createOrderedList` gives.
    if (open.size === 0) open = new Set();
    // The thread may be reading the key while it is removed: a signature that it is still making must not be used.
    const isUnsigned = slots.change(number, 'waiting', 'taken') || slots.change(number, 'signing', 'taken');
    const isSigned = !isUnsigned && slots.change(number, 'signed', 'taken');
    // Unless the slot is another digest's by now.
    if (((newest - number) | 0) < SLOTS) slots.slot(number).privateKey.fill(0);
    return isSigned;
  };
  /** If a commit is still running, the engine makes its signatures itself. */
  const takeOpen = (): void => {
    cancelTimer = undefined;
    open.forEach(take);
  };
  /** Makes the thread end after the digest that it is signing. */
  const endThread = (): void => {
    takeOpen();
    slots.end();
  };
  /**
   * For a process that exits without `end`, such as after an uncaught exception. Node.js terminates its threads, and the
   * native library aborts the process if its thread is terminated during a call.
   */
  const endBeforeExit = (): void => {
    endThread();
    slots.waitWhileWorking(LONGEST_SIGNING_MS);
  };
  const start = (): void => {
    mayStart = false;
    try {
      const started = new Worker(SCRIPT, { workerData: memory, resourceLimits: MEMORY });
      started.unref();
      started.on('error', (err) => log.warn('signer.thread', { err }));
      process.once('exit', endBeforeExit);
      started.once('exit', () => {
        worker = undefined;
        process.off('exit', endBeforeExit);
      });
      worker = started;
    } catch (err) {
      // A container may limit the number of threads.
      log.warn('signer.thread', { err });
    }
  };

  return {
    begin(privateKey, digest) {
      const [key, bytes] = [toBytes(privateKey), toBytes(digest)];
      if (!mayStart && worker === undefined) return () => sign(key, bytes);
      newest = (newest + 1) | 0;
      const number = newest;
      open.add(number);
      cancelTimer ??= clock.setTimer(ABANDONED_MS, takeOpen);
      slots.put(number, key, bytes);
      if (open.size >= MANY) {
        if (mayStart) start();
        slots.wake();
      }
      return () => (take(number) ? hexOf(slots.slot(number).signature) : sign(key, bytes));
    },
    async end() {
      mayStart = false;
      cancelTimer?.();
      const ending = worker;
      worker = undefined;
      const ended = ending && new Promise((resolve) => ending.once('exit', resolve));
      // Not terminated, for the same reason as in `endBeforeExit`.
      ending?.ref();
      endThread();
      await ended;
    },
  };
};
