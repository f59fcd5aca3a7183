import { afterAll, vi } from 'vitest';

/** Files are tested one after the other in the same process: what one has put in place of something is taken back. */
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});
