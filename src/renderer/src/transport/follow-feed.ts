import { EngineError } from '../../../shared/errors.ts';
import type { FeedPage } from '../../../shared/schema/decision.ts';
import type { Timer } from '../timer.ts';
import type { Transport } from './transport.ts';

/** Receives every page of the feed, each one once and in order. */
export interface FeedListener {
  onPage(page: FeedPage): void;
  onConnected(): void;
  /** Called when the connection is lost. It is retried until it is restored. */
  onLost(error: unknown): void;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

/** True if a retry cannot help. */
const isFinal = (error: unknown): boolean => error instanceof EngineError && error.code === 'OPERATOR_TOKEN_INVALID';

/**
 * Follows the feed, and reconnects when the connection is lost. Each connection starts where the last page ended, so
 * that no page is lost or repeated.
 *
 * @param from position up to which everything has been seen; undefined for only new pages
 * @returns a function that stops following
 */
export const followFeed = (transport: Transport, timer: Timer, listener: FeedListener, from?: number): (() => void) => {
  const over = new AbortController();
  const { signal } = over;
  let after = from;
  let pause = FIRST_PAUSE_MS;
  let wake = (): void => undefined;
  // A function, because TypeScript does not consider that the value changes during an await.
  const isOver = (): boolean => signal.aborted;

  const connect = async (): Promise<void> => {
    let isOn = true;
    let isFirst = true;
    const onPage = (page: FeedPage): void => {
      if (signal.aborted || !isOn) return;
      if (isFirst) {
        pause = FIRST_PAUSE_MS;
        listener.onConnected();
      }
      isFirst = false;
      // The position may be lower than the last one, because a restored backup continues from an earlier position.
      after = page.upTo;
      listener.onPage(page);
    };
    await transport.feed({ after, signal, onPage }).finally(() => (isOn = false));
  };

  const rest = (): Promise<void> =>
    new Promise((resolve) => {
      const cancel = timer.after(pause, resolve);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      wake = () => {
        cancel();
        resolve();
      };
    });

  const follow = async (): Promise<void> => {
    while (!isOver()) {
      const error: unknown = await connect().catch((cause: unknown) => cause);
      if (isOver()) return;
      listener.onLost(error);
      if (isFinal(error)) return;
      await rest();
    }
  };
  void follow();
  return () => {
    over.abort();
    wake();
  };
};
