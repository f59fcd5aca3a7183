import { configDefaults, defineConfig } from 'vitest/config';
import { findChromium } from './test/support/find-chromium.ts';

/** The shell is tested in a browser. CI installs one; elsewhere a missing one is said, and counts as nothing tested. */
const withoutBrowser = findChromium() === undefined && !process.env['CI'];
if (withoutBrowser) console.warn('No Chromium here: test/shell is left out. Install it, or name one in CHROMIUM.');

export default defineConfig({
  test: {
    exclude: [...configDefaults.exclude, ...(withoutBrowser ? ['test/shell/**'] : [])],
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    allowOnly: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    sequence: { shuffle: true },
  },
});
