import { EngineError } from '../../../shared/errors.ts';
import type { DecisionRecord } from '../../../shared/schema/decision.ts';
import type { Timer } from '../timer.ts';
import type { Transport } from './transport.ts';

/** Someone who wants every decision, each once and in order. */
export interface DecisionListener {
  onDecision(decision: DecisionRecord): void;
  onConnected(): void;
  /** The connection is lost; a new one is tried until it stands. */
  onLost(error: unknown): void;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

/** True if asking again cannot help. */
const isFinal = (error: unknown): boolean => error instanceof EngineError && error.code === 'OPERATOR_TOKEN_INVALID';

/**
 * Follows the decisions, over as many connections as it takes: each begins behind the last decision seen, so that
 * none is lost or told twice.
 *
 * @param from the last seq seen; undefined: only decisions that are made from now on
 * @returns stops it
 */
export const followDecisions = (
  transport: Transport,
  timer: Timer,
  listener: DecisionListener,
  from?: number,
): (() => void) => {
  const over = new AbortController();
  const { signal } = over;
  let after = from;
  let pause = FIRST_PAUSE_MS;
  let wake = (): void => undefined;
  // A function, since TypeScript does not see that it changes while something is awaited.
  const isOver = (): boolean => signal.aborted;

  const connect = async (): Promise<void> => {
    const begin = after ?? (await transport.call('decisions.next', {})).upTo;
    after = begin;
    let isOn = true;
    const telling = transport.decisions({
      after: begin,
      signal,
      onConnected: () => {
        pause = FIRST_PAUSE_MS;
        listener.onConnected();
      },
      // Its seq may be lower than the last: a restored backup goes on from an older one.
      onDecision: (decision) => {
        if (signal.aborted || !isOn) return;
        after = decision.seq;
        listener.onDecision(decision);
      },
      onPosition: (seq) => {
        if (isOn) after = seq;
      },
    });
    await telling.finally(() => (isOn = false));
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
