import type { Machine } from '../../src/engine/base/clock.ts';
import { ManualClock } from './manual-clock.ts';

/** A machine whose time passes, is set and is slept through as the test says. Timers never fire. */
export class ManualMachine implements Machine {
  readonly #timers = new ManualClock();
  #wall: number;
  #monotonic = 0;
  #uptime = 5_000_000;

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#wall = startMs;
  }

  readonly wall = (): number => this.#wall;
  readonly monotonic = (): number => this.#monotonic;
  readonly uptime = (): number => this.#uptime;
  readonly setTimer: Machine['setTimer'] = (ms, fn) => this.#timers.setTimer(ms, fn);

  pass(ms: number): void {
    this.#monotonic += ms;
    this.sleep(ms);
  }

  /** Sleeps like Linux: the monotonic clock stands still meanwhile. */
  sleep(ms: number): void {
    this.#wall += ms;
    this.#uptime += ms;
  }

  set(byMs: number): void {
    this.#wall += byMs;
  }
}
