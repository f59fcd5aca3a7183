import { EngineError } from '../../../shared/errors.ts';
import type { FeedPage } from '../../../shared/schema/decision.ts';
import type { Timer } from '../timer.ts';
import type { Transport } from './transport.ts';

/** Someone who wants every page of the feed, each once and in order. */
export interface FeedListener {
  onPage(page: FeedPage): void;
  onConnected(): void;
  /** The connection is lost; a new one is tried until it stands. */
  onLost(error: unknown): void;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

/** True if asking again cannot help. */
const isFinal = (error: unknown): boolean => error instanceof EngineError && error.code === 'OPERATOR_TOKEN_INVALID';

/**
 * Follows the feed, over as many connections as it takes: each begins where the last page ended, so that nothing is lost
 * or told twice.
 *
 * @param from position up to which everything was seen; undefined: only what comes from now on
 * @returns stops it
 */
export const followFeed = (transport: Transport, timer: Timer, listener: FeedListener, from?: number): (() => void) => {
  const over = new AbortController();
  const { signal } = over;
  let after = from;
  let pause = FIRST_PAUSE_MS;
  let wake = (): void => undefined;
  // A function, since TypeScript does not see that it changes while something is awaited.
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
      // It may be lower than the last: a restored backup goes on from an older one.
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
      const error: unknown = await connect().catch((fault: unknown) => fault);
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
