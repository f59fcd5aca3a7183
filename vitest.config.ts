import { configDefaults, defineConfig } from 'vitest/config';
import { findChromium } from './test/support/find-chromium.ts';
import { PATIENCE_MS } from './test/support/patience.ts';

/** Shell and console are tested in a browser. CI installs one; elsewhere a missing one is said, and counts as nothing tested. */
const withoutBrowser = findChromium() === undefined && !process.env['CI'];
if (withoutBrowser)
  console.warn('No Chromium here: test/shell and test/console are left out. Install it, or name one in CHROMIUM.');

const common = {
  exclude: [...configDefaults.exclude, ...(withoutBrowser ? ['test/shell/**', 'test/console/**'] : [])],
  allowOnly: false,
  testTimeout: 3 * PATIENCE_MS,
  hookTimeout: 3 * PATIENCE_MS,
  expect: { poll: { timeout: PATIENCE_MS } },
  sequence: { shuffle: true },
};

export default defineConfig({
  test: {
    // Once for all projects: one that extended this configuration would run it again.
    globalSetup: ['test/support/global-setup.ts'],
    // Most of a test's time is a chain's or a browser's: two cores do with two workers, where vitest takes one.
    maxWorkers: '100%',
    projects: [
      // Half of a unit test's time would be loading what the one before has loaded.
      { test: { ...common, name: 'units', include: ['src/**/*.test.ts'], isolate: false } },
      { test: { ...common, name: 'desk', include: ['test/**/*.test.ts', 'scripts/**/*.test.ts'] } },
    ],
  },
});
