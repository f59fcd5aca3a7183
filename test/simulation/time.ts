import { type Clock, createClock } from '../../src/engine/base/clock.ts';
import { endNext } from './other-threads.ts';

interface Timer {
  readonly due: number;
  /** The order in which timers were set. */
  readonly nth: number;
  readonly run: () => unknown;
}

/** What keeps the loop of this process busy, as Node.js calls it. Everything else waits for virtual time. */
const BUSY = /^(Immediate|FSReq|CloseReq|GetAddrInfoReqWrap)/;

/** Waits until nothing in this process can run before virtual time passes. */
export const settle = async (): Promise<void> => {
  do {
    do await new Promise((resolve) => setImmediate(resolve));
    while (process.getActiveResourcesInfo().some((name) => BUSY.test(name)));
  } while (await endNext());
};

/** Waits for work that takes no virtual time. */
export const settled = async <T>(work: Promise<T>): Promise<T> => {
  let isOver = false;
  const over = work.finally(() => (isOver = true));
  over.catch(() => undefined);
  do await settle();
  while (!isOver);
  return over;
};

/** Time that passes only when the simulation says so: one for the world, with a clock for each start of an engine. */
export class VirtualTime {
  /** Epoch ms. */
  now = Date.UTC(2026, 0, 5);
  /** How far someone has set the machine's time of day ahead, ms. Negative: behind. */
  aheadMs = 0;
  /** How long the machine has slept, ms. */
  #slept = 0;
  #set = 0;
  readonly #timers = new Set<Timer>();

  /** @returns a function that cancels the timer */
  after(ms: number, run: () => unknown): () => void {
    const timer = { due: this.now + Math.max(0, Math.ceil(ms)), nth: (this.#set += 1), run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Resolves after a time. */
  readonly pass = (ms: number): Promise<void> => new Promise((resolve) => void this.after(ms, () => resolve()));

  /**
   * Continues with the next timers up to `end`: all that are due at the same moment run in the same turn of the event
   * loop. @returns false if none is left
   */
  step(end: number): boolean {
    const due = [...this.#timers].reduce((first, timer) => Math.min(first, timer.due), Infinity);
    if (due > end) {
      this.now = Math.max(this.now, end);
      return false;
    }
    this.now = Math.max(this.now, due);
    const together = [...this.#timers].filter((timer) => timer.due === due).sort((one, other) => one.nth - other.nth);
    for (const timer of together) if (this.#timers.delete(timer)) timer.run();
    return true;
  }

  /** The machine sleeps: time passes, and every timer is late. */
  sleep(ms: number): void {
    this.now += ms;
    this.#slept += ms;
  }

  /** Time without the machine's sleep, ms. */
  get awake(): number {
    return this.now - this.#slept;
  }

  /** The machine's time of day, epoch ms. */
  get wall(): number {
    return this.now + this.aheadMs;
  }

  /** The clock of one process. */
  clock(): ProcessClock {
    return new ProcessClock(this);
  }

  /** @returns the same moment of a time that passes by itself */
  copy(): VirtualTime {
    const copy = new VirtualTime();
    copy.now = this.now;
    copy.aheadMs = this.aheadMs;
    copy.#slept = this.#slept;
    return copy;
  }
}

/** A clock that leaves the world's time when its process ends: its timers then run in a time of their own. */
export class ProcessClock implements Clock {
  #time: VirtualTime;
  readonly #clock: Clock;
  readonly #timers = new Map<() => void, { readonly due: number; cancel: () => void }>();

  constructor(time: VirtualTime) {
    this.#time = time;
    const [start, startAwake] = [time.now, time.awake];
    this.#clock = createClock({
      wall: () => this.#time.wall,
      monotonic: () => this.#time.awake - startAwake,
      uptime: () => this.#time.now - start,
      setTimer: (ms, fn) => this.setTimer(ms, fn),
    });
  }

  readonly now = (): number => this.#clock.now();
  readonly monotonic = (): number => this.#clock.monotonic();
  readonly uptime = (): number => this.#clock.uptime();
  readonly machineAheadMs = (): number => this.#clock.machineAheadMs();

  readonly setTimer = (ms: number, fn: () => void): (() => void) => {
    const run = (): void => {
      this.#timers.delete(run);
      fn();
    };
    this.#timers.set(run, { due: this.#time.now + ms, cancel: this.#time.after(ms, run) });
    return () => {
      this.#timers.get(run)?.cancel();
      this.#timers.delete(run);
    };
  };

  /** Leaves the world. @returns the time that passes for this clock from now on */
  leave(): VirtualTime {
    const after = this.#time.copy();
    for (const timer of this.#timers.values()) timer.cancel();
    const timers = [...this.#timers];
    this.#time = after;
    for (const [run, timer] of timers) timer.cancel = after.after(timer.due - after.now, run);
    return after;
  }
}
