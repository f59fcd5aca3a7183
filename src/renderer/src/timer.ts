import { type InjectionKey, inject } from 'vue';

/** Time as the console sees it. */
export interface Timer {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Runs `fn` once, `ms` milliseconds from now. @returns cancels it */
  after(ms: number, fn: () => void): () => void;
}

/** The window's own clock. */
export const windowTimer: Timer = {
  now: () => Date.now(),
  after: (ms, fn) => {
    const handle = setTimeout(fn, ms);
    return () => clearTimeout(handle);
  },
};

/** Under this key the application provides its timer. */
export const timerKey: InjectionKey<Timer> = Symbol('timer');

/** The timer of the application; to be called where `inject` may be. */
export const useTimer = (): Timer => {
  const timer = inject(timerKey);
  if (timer === undefined) throw new Error('The application provides no timer');
  return timer;
};
