import { afterAll, vi } from 'vitest';

/** Test files run one after the other in the same process: this undoes what a file has stubbed. */
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});
