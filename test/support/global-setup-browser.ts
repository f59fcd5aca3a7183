import { buildConsole } from '../../scripts/build-stale.ts';
import { setup as setUp } from './global-setup.ts';

/** Runs before the tests that open the console, and builds it if it is stale. */
export const setup = (): Promise<() => void> => {
  buildConsole();
  return setUp();
};
