/** Part of the memory that the signing thread shares with the engine. */
export interface Slot {
  readonly privateKey: Uint8Array;
  readonly digest: Uint8Array;
  /** `r || s || v`. */
  readonly signature: Uint8Array;
}

/** `taken`: the engine has taken the signature, or signs the digest itself. */
export type SlotState = 'waiting' | 'signing' | 'signed' | 'taken';

/**
 * A ring of slots for digests to sign. Digests are numbered in order, with 32 bits. A slot may be used again before its
 * digest is signed, so its state contains the digest's number, with 30 bits: states repeat after a billion digests.
 */
export interface SigningSlots {
  slot(number: number): Slot;
  /** Puts a digest in its slot, where it waits. */
  put(number: number, privateKey: Uint8Array, digest: Uint8Array): void;
  /** Changes a digest's state. False if it has another state than `from`, or no slot any more. */
  change(number: number, from: SlotState, to: SlotState): boolean;
  /** Number of the digest that was put last. */
  newest(): number;
  /** Blocks until another digest than this one is the newest, and `wake` was called. */
  sleepWhileNewest(number: number): void;
  /** Wakes the thread if it sleeps. Costs little if it does not. */
  wake(): void;
  /** Makes the thread end after the digest that it is signing. */
  end(): void;
  hasEnded(): boolean;
  /** Says whether the thread may call the native library from now on. */
  setWorking(isWorking: boolean): void;
  /** Blocks until the thread does not call the native library, but not for longer than this. */
  waitWhileWorking(mostMs: number): void;
}

const STATES: readonly SlotState[] = ['waiting', 'signing', 'signed', 'taken'];

/** A power of two. If a commit has more digests, the engine signs the earlier ones itself. */
export const SLOTS = 1_024;

const KEY_BYTES = 32;
const DIGEST_BYTES = 32;
const SIGNATURE_BYTES = 65;
const SLOT_BYTES = KEY_BYTES + DIGEST_BYTES + SIGNATURE_BYTES;
/** Indices after the states. */
const NEWEST = SLOTS;
const IS_ASLEEP = SLOTS + 1;
const HAS_ENDED = SLOTS + 2;
const IS_WORKING = SLOTS + 3;
const NUMBERS = SLOTS + 4;
const NUMBERS_BYTES = NUMBERS * Int32Array.BYTES_PER_ELEMENT;

export const createSlotMemory = (): SharedArrayBuffer => new SharedArrayBuffer(NUMBERS_BYTES + SLOTS * SLOT_BYTES);

/** The slots in a memory that `createSlotMemory` made. */
export const slotsIn = (memory: SharedArrayBuffer): SigningSlots => {
  const numbers = new Int32Array(memory, 0, NUMBERS);
  const slots: Slot[] = [];
  const slotAt = (index: number): Slot => {
    const at = NUMBERS_BYTES + index * SLOT_BYTES;
    return {
      privateKey: new Uint8Array(memory, at, KEY_BYTES),
      digest: new Uint8Array(memory, at + KEY_BYTES, DIGEST_BYTES),
      signature: new Uint8Array(memory, at + KEY_BYTES + DIGEST_BYTES, SIGNATURE_BYTES),
    };
  };
  const indexOf = (number: number): number => number & (SLOTS - 1);
  const slot = (number: number): Slot => (slots[indexOf(number)] ??= slotAt(indexOf(number)));
  const stateOf = (number: number, state: SlotState): number => (number * STATES.length + STATES.indexOf(state)) | 0;
  return {
    slot,
    put(number, privateKey, digest) {
      // The thread must not begin with an earlier digest in this slot while its bytes change.
      Atomics.store(numbers, indexOf(number), stateOf(number, 'taken'));
      slot(number).privateKey.set(privateKey);
      slot(number).digest.set(digest);
      Atomics.store(numbers, indexOf(number), stateOf(number, 'waiting'));
      Atomics.store(numbers, NEWEST, number);
    },
    change(number, from, to) {
      const before = stateOf(number, from);
      return Atomics.compareExchange(numbers, indexOf(number), before, stateOf(number, to)) === before;
    },
    newest: () => Atomics.load(numbers, NEWEST),
    sleepWhileNewest(number) {
      Atomics.store(numbers, IS_ASLEEP, 1);
      // Returns immediately if a digest was put before the line above, because then `wake` did nothing.
      Atomics.wait(numbers, NEWEST, number);
      Atomics.store(numbers, IS_ASLEEP, 0);
    },
    wake() {
      if (Atomics.exchange(numbers, IS_ASLEEP, 0) === 1) Atomics.notify(numbers, NEWEST);
    },
    end() {
      Atomics.store(numbers, HAS_ENDED, 1);
      // A thread that is about to sleep sees another number.
      Atomics.add(numbers, NEWEST, 1);
      Atomics.notify(numbers, NEWEST);
    },
    hasEnded: () => Atomics.load(numbers, HAS_ENDED) === 1,
    setWorking(isWorking) {
      Atomics.store(numbers, IS_WORKING, isWorking ? 1 : 0);
      Atomics.notify(numbers, IS_WORKING);
    },
    waitWhileWorking: (mostMs) => void Atomics.wait(numbers, IS_WORKING, 1, mostMs),
  };
};
