import { configDefaults, defineConfig } from 'vitest/config';
import { findChromium } from './test/support/find-chromium.ts';
import { PATIENCE_MS } from './test/support/patience.ts';

/** Shell, console and package are tested in a browser. CI installs one; elsewhere a missing one is said, and counts as nothing tested. */
const withoutBrowser = findChromium() === undefined && !process.env['CI'];
if (withoutBrowser)
  console.warn(
    'No Chromium here: test/shell, test/console and test/package are left out. Install it, or name one in CHROMIUM.',
  );

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'],
    // test/clients installs packages: it has a command of its own.
    exclude: [
      ...configDefaults.exclude,
      'test/clients/**',
      ...(withoutBrowser ? ['test/shell/**', 'test/console/**', 'test/package/**'] : []),
    ],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: [
      'test/support/leave-as-found.ts',
      'test/support/described-exchanges.ts',
      'test/support/replayed-decisions.ts',
    ],
    allowOnly: false,
    testTimeout: 3 * PATIENCE_MS,
    hookTimeout: 3 * PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS } },
    // Any order has to do: each run has another, but for CI's, whose failures are to be repeated.
    sequence: { shuffle: true, ...(process.env['CI'] && { seed: 20_261_122 }) },
    // Half of the time went into loading, for every file, what the file before had loaded.
    isolate: false,
    // Most of a test's time is a chain's or a browser's: two cores do with two workers, where vitest takes one.
    maxWorkers: '100%',
  },
});
