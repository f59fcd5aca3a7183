import { configDefaults, defineConfig } from 'vitest/config';
import { playsAll } from './test/support/combinations.ts';
import { findChromium } from './test/support/find-chromium.ts';
import { PATIENCE_MS } from './test/support/patience.ts';

/** CI installs a browser; elsewhere a missing one is said, and its project has no tests. */
const hasBrowser = findChromium() !== undefined || process.env['CI'] !== undefined;
if (!hasBrowser)
  console.warn('No Chromium here: the project browser has no tests. Install it, or name one in CHROMIUM.');

const filesIn = (folders: readonly string[]): string[] => folders.map((folder) => `${folder}/**/*.test.ts`);

const BROWSER = ['test/console', 'test/package', 'test/shell'];
const ENGINES = ['test/engines', 'test/running'];
const FAULTS = [
  'test/attacks',
  'test/backup',
  'test/continuous-backup',
  'test/faults',
  'test/malformed',
  'test/simulation',
];
/** They measure how long a desk takes, and so run one by one, after all others. */
const ALONE = ['test/faults/flood.test.ts'];
/** It installs packages, and has a configuration of its own. */
const CLIENTS = ['test/clients'];

/**
 * How many processes run the tests of each project, in the order of their turns: Vitest reuses a process for one project
 * only. Tests of a desk wait for chains; where time counts, each core gets two.
 */
const TURNS = { unit: 2, desk: playsAll ? 2 : 4, browser: 2, engines: 2, faults: 2, alone: 1 };

/** A part of the tests that is run by itself. Only what it needs is built before. */
const project = (name: keyof typeof TURNS, include: readonly string[], exclude: readonly string[] = []) => ({
  extends: true as const,
  test: {
    name,
    include: [...include],
    exclude: [...configDefaults.exclude, ...exclude],
    globalSetup: [`test/support/global-setup${name === 'browser' ? '-browser' : ''}.ts`],
    maxWorkers: TURNS[name],
    sequence: { groupOrder: Object.keys(TURNS).indexOf(name) },
  },
});

export default defineConfig({
  test: {
    projects: [
      project('unit', filesIn(['src', 'scripts'])),
      project('desk', filesIn(['test']), filesIn([...BROWSER, ...ENGINES, ...FAULTS, ...CLIENTS])),
      project('browser', hasBrowser ? filesIn(BROWSER) : []),
      project('engines', filesIn(ENGINES)),
      project('faults', filesIn(FAULTS), ALONE),
      project('alone', ALONE),
    ],
    setupFiles: ['test/support/leave-as-found.ts', 'test/support/described-exchanges.ts'],
    allowOnly: false,
    // What was compiled once is kept by its content.
    experimental: { fsModuleCache: true },
    testTimeout: 3 * PATIENCE_MS,
    hookTimeout: 3 * PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS } },
    // Any order has to do: each run has another, but for CI's, whose failures are to be repeated.
    sequence: { shuffle: true, ...(process.env['CI'] && { seed: 20_261_122 }) },
    // Half of the time went into loading, for every file, what the file before had loaded.
    isolate: false,
  },
});
