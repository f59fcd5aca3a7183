import { parentPort, workerData } from 'node:worker_threads';
import { EngineError } from '../../shared/errors.ts';
import { systemEntropy } from '../base/clock.ts';
import { answerCall } from '../http/answer-call.ts';
import { createLog } from '../base/log.ts';
import type { FromReview, ToReview } from './review-thread.ts';
import { createReview } from './review.ts';

/**
 * The thread's side of `startReviewThread`: opens the file that `workerData` names, and answers calls until it is asked
 * to exit.
 */

const port = parentPort;
if (port === null) throw new Error('This is started as a thread');

const log = createLog({ level: 'error' });
const controller = new AbortController();
const send = (message: FromReview): void => port.postMessage(message);
const opening = createReview({
  file: workerData as string,
  log,
  signal: controller.signal,
  progress: (part) => send({ progress: part }),
});
// Callers receive this error with their answer.
opening.catch(() => undefined);

const service = async () => (await opening).service;

let isEnding = false;
/** The files of the review are closed: calls that were reading them fail, and their callers hear of the end instead. */
let isClosed = false;

const end = async (): Promise<void> => {
  if (isEnding) return;
  isEnding = true;
  controller.abort(new EngineError('EXPORT_INVALID', 'Reading the file was cancelled'));
  const review = await opening.catch(() => undefined);
  isClosed = review !== undefined;
  await review?.stop().catch((error: unknown) => log.error('review.stop', { err: error }));
  // Exits explicitly, because calls that wait for new decisions would keep the thread alive.
  process.exit();
};

port.on('message', (message: ToReview) => {
  if (message === 'end') {
    void end();
    return;
  }
  const { id, ...call } = message;
  void answerCall({ service, log, entropy: systemEntropy }, () => call).then((answer) => {
    if (!isClosed) send({ id, answer });
  });
});
