import type { Review } from '../engine/review/review.ts';
import { NO_OPEN, stopRequested, serveUntil } from './stop-requested.ts';
import { command, wholeNumber } from './command.ts';
import { CONSOLE_FOLDER } from './desk.ts';
import { harmless } from './human-text.ts';
import { commandLog, printNote } from './terminal.ts';

/** The inputs of a review. */
interface ReviewOptions {
  readonly file: string;
  readonly key?: string | undefined;
}

const PROGRESS_EVERY_MS = 5_000;

/** Returns a function that prints the progress of verification every few seconds. */
const progressPrinter = (): ((part: number) => void) => {
  let printedAt = performance.now();
  return (part) => {
    if (performance.now() - printedAt < PROGRESS_EVERY_MS) return;
    printedAt = performance.now();
    printNote(`Verified ${Math.floor(part * 100)} %`);
  };
};

/** Opens the file; undefined if the operator stops the command meanwhile. */
const open = async ({ file, key }: ReviewOptions, stopped: Promise<unknown>): Promise<Review | undefined> => {
  const { createReview } = await import('../engine/review/review.ts');
  const reading = new AbortController();
  void stopped.then(() => reading.abort());
  const { signal } = reading;
  const log = commandLog('error');
  try {
    return await createReview({ file, key, signal, log, consoleFolder: CONSOLE_FOLDER, progress: progressPrinter() });
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
};

/** Prints the result of verification. Runs before the review's address is printed. */
const printVerification = async ({ service }: Review): Promise<void> => {
  const { review } = await service.call('system.info', {});
  if (review?.verification !== undefined) printNote(harmless(review.verification.words));
};

interface ServedReview {
  key?: string;
  host: string;
  port: number;
  open: boolean;
}

/** `gasdesk review`. Prints one line when it is listening, and runs until it is asked to stop. */
export const reviewCommand = command(
  'review',
  'Open decisions, a log, a receipt or a backup read-only in the browser, on any machine',
)
  .argument('<file>', 'file from "gasdesk decisions export", "log export", "decisions receipt" or "backup"')
  .option('--key <key>', 'public key of the log, as published by its operator, to verify a log or a receipt')
  .option('--host <host>', 'address to listen on', '127.0.0.1')
  .option('--port <port>', 'port to listen on, 0 for any free port', wholeNumber(0, 65_535), 0)
  .option(...NO_OPEN)
  .action(async (file: string, { key, host, port, open: opens }: ServedReview) => {
    const stopped = stopRequested();
    const review = await open({ file, key }, stopped);
    if (review === undefined) return;
    await serveUntil(
      stopped,
      review,
      async () => {
        await printVerification(review);
        return review.serve({ host, port });
      },
      opens,
    );
  });
