import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Hex } from '../../shared/schema/hex.ts';
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

/** Without the native library, signing takes place in the engine only. */
export const createSigningThread = (log: Pick<Log, 'warn'>): SigningThread => {
  const memory = createSlotMemory();
  const slots = slotsIn(memory);
  let worker: Worker | undefined;
  let mayStart = binding !== undefined;
  /** Number of the newest digest. */
  let newest = 0;
  /** Number of digests since a signature was last asked for, so in the current commit. */
  let inCommit = 0;

  const start = (): void => {
    mayStart = false;
    const started = new Worker(SCRIPT, { workerData: memory, resourceLimits: MEMORY });
    started.unref();
    started.on('error', (err) => log.warn('signer.thread', { err }));
    started.once('exit', () => (worker = undefined));
    worker = started;
  };

  return {
    begin(privateKey, digest) {
      const [key, bytes] = [toBytes(privateKey), toBytes(digest)];
      newest = (newest + 1) | 0;
      inCommit += 1;
      const number = newest;
      slots.put(number, key, bytes);
      if (inCommit >= MANY) {
        if (mayStart) start();
        slots.wake();
      }
      return () => {
        inCommit = 0;
        const isSigned = !slots.change(number, 'waiting', 'taken') && slots.change(number, 'signed', 'taken');
        const signature = isSigned ? hexOf(slots.slot(number).signature) : sign(key, bytes);
        // Unless the slot is another digest's by now.
        if (((newest - number) | 0) < SLOTS) slots.slot(number).privateKey.fill(0);
        return signature;
      };
    },
    async end() {
      mayStart = false;
      await worker?.terminate();
    },
  };
};
