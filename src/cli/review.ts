import { createLog } from '../engine/base/log.ts';
import type { Review } from '../engine/review/review.ts';
import { askedToStop, serveUntil } from './asked-to-stop.ts';
import { command, wholeNumber } from './command.ts';
import { CONSOLE_FOLDER } from './desk.ts';

/** Opens the file; undefined if the operator has stopped it meanwhile. */
const open = async (file: string, stopped: Promise<unknown>): Promise<Review | undefined> => {
  const { createReview } = await import('../engine/review/review.ts');
  const reading = new AbortController();
  void stopped.then(() => reading.abort());
  const { signal } = reading;
  try {
    return await createReview({ file, signal, log: createLog({ level: 'error' }), consoleFolder: CONSOLE_FOLDER });
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
};

/** `gasdesk review`: prints one line when it listens, and stays until it is told to stop. */
export const reviewCommand = command(
  'review',
  'Open a decision export or a backup read-only in the browser, on any machine',
)
  .argument('<file>', 'file from "gasdesk decisions export" or "gasdesk backup"')
  .option('--host <host>', 'address to bind', '127.0.0.1')
  .option('--port <port>', 'port to bind, 0 for any free port', wholeNumber(0, 65_535), 0)
  .action(async (file: string, { host, port }: { host: string; port: number }) => {
    const stopped = askedToStop();
    const review = await open(file, stopped);
    if (review !== undefined) await serveUntil(stopped, review, () => review.serve({ host, port }));
  });
