import { once } from 'node:events';
import type { Secret } from '../engine/base/secret.ts';
import { printLine, terminal } from './terminal.ts';

/** Resolves when the process is asked to stop, by Ctrl-C, `kill` or a shutdown of the machine. */
export const stopRequested = (): Promise<unknown> => {
  const end = new AbortController();
  return Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal, { signal: end.signal }))).finally(
    () => end.abort(),
  );
};

/** Serves until the process is asked to stop. Prints the address on one line. */
export const serveUntil = async (
  stopped: Promise<unknown>,
  served: { readonly operatorToken: Secret<string>; stop(): Promise<void> },
  serve: () => Promise<string>,
): Promise<void> => {
  try {
    const url = await serve();
    const consoleUrl = `${url}/console/#token=${served.operatorToken.reveal()}`;
    // A program reads the line; in a window, a person does.
    const isRead = terminal().stdout.isTTY !== true;
    printLine(
      isRead
        ? JSON.stringify({ event: 'listening', url, console: consoleUrl })
        : `The console is at ${consoleUrl}; Ctrl-C ends the service.`,
    );
    await stopped;
  } finally {
    await served.stop();
  }
};
