import { Worker } from 'node:worker_threads';
import type { EngineAnswer } from '../../shared/console-bridge.ts';
import type { ProcedureName, ProcedureOutput } from '../../api/index.ts';
import { EngineError } from '../../shared/errors.ts';
import type { CalledService } from '../http/answer-call.ts';

/** A call, or the request to exit. */
export type ToReview = { readonly id: number; readonly name: string; readonly input: unknown } | 'end';

/** The answer to the call with this id, or the fraction of a log that has been verified, from 0 to 1. */
export type FromReview = { readonly id: number; readonly answer: EngineAnswer } | { readonly progress: number };

/** A review in a separate thread, so that nothing else in the process waits for it. */
export interface ReviewThread {
  /** Resolves when the file has been read. @throws EngineError `EXPORT_INVALID`, like `createReview` */
  readonly opened: Promise<void>;
  readonly service: CalledService;
  /** Ends the review, even while it is opening, and removes its files. */
  stop(): Promise<void>;
}

/**
 * Opens a file for review in a separate thread.
 *
 * @param script the thread's code: `review-worker.ts` or its bundle
 * @param file absolute path of a file that can be reviewed
 * @param progress called from time to time with the fraction of a log that has been verified, from 0 to 1
 */
export const startReviewThread = (
  script: string | URL,
  file: string,
  progress: (part: number) => void = () => undefined,
): ReviewThread => {
  const worker = new Worker(script, { workerData: file });
  const waiting = new Map<number, (answer: EngineAnswer) => void>();
  let calls = 0;
  let error: unknown;
  let isOver = false;
  const reviewEnded = (): EngineError =>
    new EngineError('INTERNAL', 'The review has ended. Open the file again', {}, { cause: error });
  worker.on('message', (message: FromReview) => {
    if ('progress' in message) {
      progress(message.progress);
      return;
    }
    const { id, answer } = message;
    waiting.get(id)?.(answer);
    waiting.delete(id);
  });
  worker.on('error', (cause: unknown) => (error = cause));
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve())).then(() => {
    isOver = true;
    const { code, message, data } = reviewEnded();
    for (const resolve of waiting.values()) resolve({ ok: false, code, message, data });
  });

  const call = async <Name extends ProcedureName>(name: Name, input: unknown): Promise<ProcedureOutput<Name>> => {
    if (isOver) throw reviewEnded();
    const id = (calls += 1);
    const answer = await new Promise<EngineAnswer>((resolve) => {
      waiting.set(id, resolve);
      worker.postMessage({ id, name, input } satisfies ToReview);
    });
    if (!answer.ok) throw new EngineError(answer.code, answer.message, answer.data);
    return answer.output as ProcedureOutput<Name>;
  };

  return {
    opened: call('system.info', {}).then(() => undefined),
    service: { call },
    stop() {
      worker.postMessage('end' satisfies ToReview);
      return ended;
    },
  };
};
