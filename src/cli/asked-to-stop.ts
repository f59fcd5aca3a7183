import { once } from 'node:events';

/** Ends when the process is asked to: Ctrl-C, `kill`, or the machine's shutdown. */
export const askedToStop = (): Promise<unknown> => {
  const end = new AbortController();
  return Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal, { signal: end.signal }))).finally(
    () => end.abort(),
  );
};
