import { workerData } from 'node:worker_threads';
import { binding } from './secp256k1-binding.ts';
import { SLOTS, slotsIn } from './signing-slots.ts';

/** The thread's side of `createSigningThread`: signs the digests in the shared memory until it has to end. */

if (binding === undefined) throw new Error('The native library for signatures cannot be loaded');
const { ecdsaSign } = binding;
const slots = slotsIn(workerData as SharedArrayBuffer);
// Copies, because the engine may use the slot again at any time.
const privateKey = Buffer.alloc(32);
const digest = Buffer.alloc(32);
const output = Buffer.alloc(64);

const signDigest = (number: number): void => {
  if (!slots.change(number, 'waiting', 'signing')) return;
  const slot = slots.slot(number);
  privateKey.set(slot.privateKey);
  digest.set(slot.digest);
  try {
    const { recid } = ecdsaSign(digest, privateKey, undefined, output);
    slot.signature.set(output);
    slot.signature[64] = 27 + recid;
  } catch {
    // An invalid key. The engine fails with it, too, and reports it.
    return;
  } finally {
    privateKey.fill(0);
  }
  slots.change(number, 'signing', 'signed');
};

slots.setWorking(true);
for (let done = 0; !slots.hasEnded();) {
  const newest = slots.newest();
  // Earlier digests have no slot any more.
  if (((newest - done) | 0) > SLOTS) done = (newest - SLOTS) | 0;
  if (done === newest) slots.sleepWhileNewest(newest);
  while (done !== newest) {
    done = (done + 1) | 0;
    signDigest(done);
  }
}
slots.setWorking(false);
