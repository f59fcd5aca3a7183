import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type Page, chromium } from 'playwright-core';
import { vi } from 'vitest';
import { startChromium } from './chromium.ts';
import { PATIENCE_MS } from './patience.ts';
import { startRealShell } from './real-shell.ts';
import type { Shell } from './running-shell.ts';
import type { EvaluatedModule, Evaluation } from './electron-double/register.ts';

export type { Shell } from './running-shell.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const double = new URL('./electron-double/register.ts', import.meta.url).href;
const builtMain = join(root, 'out', 'main', 'index.js');

export interface FailedStart {
  readonly code: number;
  /** Standard error, where the error box goes. */
  readonly stderr: string;
}

/** Starts the application's process on a home directory of its own, and collects its standard error. */
const startMain = (
  dataHome: string,
  endpoint: string,
  env: Readonly<Record<string, string>>,
  { main = builtMain, args = [] }: { main?: string | undefined; args?: readonly string[] } = {},
) => {
  const child = fork(main, args, {
    cwd: root,
    execArgv: ['--import', double],
    env: {
      PATH: process.env['PATH'],
      ELECTRON_DOUBLE_CDP: endpoint,
      XDG_DATA_HOME: dataHome,
      GASDESK_PORT: '0',
      ...env,
    },
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    serialization: 'advanced',
  });
  const written: string[] = [];
  child.stderr?.setEncoding('utf8').on('data', (text: string) => written.push(text));
  const ended = once(child, 'close').then(([code]) => ({ code: Number(code), stderr: written.join('') }));
  return { child, ended, stderr: () => written.join('') };
};

type StartedMain = ReturnType<typeof startMain>;

/** Rejects when the application has ended, with its output. */
const early = async ({ ended }: StartedMain): Promise<never> => {
  const { code, stderr } = await ended;
  throw new Error(`The application ended with ${code}:\n${stderr}`);
};

const windowOf = async (browser: Browser): Promise<Page> => {
  const [context] = browser.contexts();
  if (context === undefined) throw new Error('Chromium has no default context');
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.waitForEvent('page');
  await page.waitForURL(/electron-double[.]test/);
  return page;
};

/** Evaluates in a process that has loaded the double; rejects when that process has ended, with its output. */
const evaluator = (started: StartedMain): Shell['evaluate'] => {
  const { child } = started;
  let sent = 0;
  const evaluate = <Result>(run: string, arg: unknown): Promise<Result> =>
    new Promise((resolve, reject) => {
      const id = (sent += 1);
      const take = (message: unknown): void => {
        const evaluated = message as EvaluatedModule;
        if (evaluated.id !== id) return;
        child.off('message', take);
        if ('error' in evaluated) reject(new Error(evaluated.error));
        else resolve(evaluated.value as Result);
      };
      child.on('message', take);
      child.send({ id, source: run, arg } satisfies Evaluation, (error) => {
        if (error) reject(error);
      });
    });
  return (run, arg) => Promise.race([evaluate<never>(String(run), arg), early(started)]);
};

/**
 * Starts the application on `dataHome`, with its data folder `gasdesk`, and waits for its window. It runs on the
 * electron double, or on the Electron that `ELECTRON_UNDER_TEST` names.
 *
 * @param main its main bundle; by default that of the build
 */
export const startShell = async (
  dataHome: string,
  env: Readonly<Record<string, string>> = {},
  main?: string,
): Promise<Shell> => {
  const real = process.env['ELECTRON_UNDER_TEST'];
  if (real !== undefined) return startRealShell(real, { XDG_DATA_HOME: dataHome, GASDESK_PORT: '0', ...env }, main);
  const running = await startChromium();
  const browser = await chromium.connectOverCDP(running.endpoint);
  const opened = windowOf(browser);
  const started = startMain(dataHome, running.endpoint, env, { main });
  const { child, ended, stderr } = started;
  const page = await Promise.race([opened, early(started)]).catch(async (error: unknown) => {
    child.kill();
    await running.stop();
    throw error;
  });
  const evaluate = evaluator(started);
  return {
    page,
    evaluate,
    stderr,
    async quit() {
      // The application ends before it can answer.
      if (child.connected) evaluate(({ app }) => app.quit()).catch(() => undefined);
      const { code } = await ended;
      await browser.close();
      await running.stop();
      return code;
    },
  };
};

/** Starts the built application where it cannot run, and waits for its end. */
export const startShellInVain = async (
  dataHome: string,
  env: Readonly<Record<string, string>> = {},
  ...args: readonly string[]
): Promise<FailedStart> => {
  const running = await startChromium();
  try {
    return await startMain(dataHome, running.endpoint, env, { args }).ended;
  } finally {
    await running.stop();
  }
};

/** The port on which the desk of a running application listens. Its log may come later than its window. */
export const portOf = ({ stderr }: Shell): Promise<string> =>
  vi.waitFor(
    () => {
      const [, port] = /"port":(\d+),"event":"desk.listening"/.exec(stderr()) ?? [];
      if (port === undefined) throw new Error(`No desk listens:\n${stderr()}`);
      return port;
    },
    { timeout: PATIENCE_MS },
  );
