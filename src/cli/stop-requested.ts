import { once } from 'node:events';
import type { Secret } from '../engine/base/secret.ts';
import { openConsole } from './open-console.ts';
import { printLine, terminal } from './terminal.ts';

/** Resolves when the process is asked to stop, by Ctrl-C, `kill` or a shutdown of the machine. */
export const stopRequested = (): Promise<unknown> => {
  const end = new AbortController();
  return Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal, { signal: end.signal }))).finally(
    () => end.abort(),
  );
};

/** What a start results in. Undefined if it failed because, or after, the process was asked to stop. */
export const unlessStopped = async <T>(stop: AbortSignal, start: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await start();
  } catch (error) {
    if (stop.aborted) return undefined;
    throw error;
  }
};

/** The option of commands that serve the console. */
export const NO_OPEN = ['--no-open', 'do not open the console in the browser, only print its address'] as const;

/**
 * Serves until the process is asked to stop. Prints the address on one line. A program reads the line; in a window, a
 * person does, for whom `open` opens the console as well.
 *
 * @param serve returns the address, or undefined if the process was asked to stop first
 */
export const serveUntil = async (
  stopped: Promise<unknown>,
  served: { readonly operatorToken: Secret<string>; stop(): Promise<void> },
  serve: () => Promise<string | undefined>,
  open: boolean,
): Promise<void> => {
  const { stdout, env } = terminal();
  let close = (): void => undefined;
  try {
    const url = await serve();
    if (url === undefined) return;
    const consoleUrl = `${url}/console/#token=${served.operatorToken.reveal()}`;
    if (stdout.isTTY === true) {
      printLine(`The console is at ${consoleUrl}\nCtrl-C ends the service.`);
      if (open) close = await openConsole(consoleUrl, env);
    } else {
      printLine(JSON.stringify({ event: 'listening', url, console: consoleUrl }));
    }
    await stopped;
  } finally {
    close();
    await served.stop();
  }
};
