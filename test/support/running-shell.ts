import type { Page } from 'playwright-core';

/** A running desktop application: its window as Playwright sees it, and its main process. */
export interface Shell {
  readonly page: Page;
  /** Runs a function in the main process with `electron`, as Playwright's `ElectronApplication.evaluate` does. */
  readonly evaluate: <Result, Arg>(
    run: (electron: typeof Electron, arg: Arg) => Result,
    arg?: Arg,
  ) => Promise<Awaited<Result>>;
  /** Standard error of the application so far: its log. */
  readonly stderr: () => string;
  /** Ends the application as its user would. @returns the exit code */
  quit(): Promise<number>;
}
