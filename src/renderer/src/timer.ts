import { type InjectionKey, inject } from 'vue';

export interface Timer {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Runs `fn` once, after `ms` milliseconds. @returns a function that cancels it */
  after(ms: number, fn: () => void): () => void;
}

export const windowTimer: Timer = {
  now: () => Date.now(),
  after: (ms, fn) => {
    const handle = setTimeout(fn, ms);
    return () => clearTimeout(handle);
  },
};

/** Key under which the application provides its timer. */
export const timerKey: InjectionKey<Timer> = Symbol('timer');

/** The application's timer. Call it only where `inject` works. */
export const useTimer = (): Timer => {
  const timer = inject(timerKey);
  if (timer === undefined) throw new Error('The application provides no timer');
  return timer;
};
