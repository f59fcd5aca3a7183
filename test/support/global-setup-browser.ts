import { buildConsole } from '../../scripts/build-console.ts';
import { setup as setUp } from './global-setup.ts';

/** Runs before the tests that look at the console, which this builds if it is stale. */
export const setup = (): Promise<() => void> => {
  buildConsole();
  return setUp();
};
