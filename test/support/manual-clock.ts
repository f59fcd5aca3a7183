import type { Clock } from '../../src/engine/base/clock.ts';

interface Timer {
  due: number;
  readonly fn: () => void;
}

/** A clock that stands still until the test moves it. */
export class ManualClock implements Clock {
  #now: number;
  #start: number;
  readonly #timers = new Set<Timer>();

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#start = startMs;
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  /** Reported difference to the machine's time, ms; a desk's clock does not follow it at once. */
  aheadMs = 0;

  machineAheadMs(): number {
    return this.aheadMs;
  }

  monotonic(): number {
    return this.#now - this.#start;
  }

  /** Time that the machine has slept, ms, which only {@link uptime} counts. */
  sleptMs = 0;

  uptime(): number {
    return this.monotonic() + this.sleptMs;
  }

  setTimer(ms: number, fn: () => void): () => void {
    const timer = { due: this.#now + Math.max(0, ms), fn };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Sets the time of day back, as an operator or a time server does. Elapsed time is unaffected. */
  setBack(ms: number): void {
    this.#now -= ms;
    this.#start -= ms;
    for (const timer of this.#timers) timer.due -= ms;
  }

  /** Number of waiting timers: a test asserts 0 after a stop. */
  get pending(): number {
    return this.#timers.size;
  }

  /**
   * Moves time forward by `ms` and runs due timers in order. What a timer started gets a turn of the event loop before
   * the next timer runs.
   */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (let timer = this.#next(end); timer; timer = this.#next(end)) {
      this.#timers.delete(timer);
      this.#now = Math.max(this.#now, timer.due);
      timer.fn();
      await eventLoopTurn();
    }
    this.#now = end;
    await eventLoopTurn();
  }

  /**
   * Moves time forward at once, as on a machine that was asleep: each due timer runs once. With `advance` a day takes
   * ten seconds, since a desk polls every second.
   */
  async sleep(ms: number): Promise<void> {
    this.#now += ms;
    await this.advance(0);
  }

  #next(end: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (timer.due <= end && (!next || timer.due < next.due)) next = timer;
    return next;
  }
}

const eventLoopTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
