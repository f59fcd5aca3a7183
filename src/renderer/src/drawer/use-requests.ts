import { type Ref, computed, onScopeDispose, ref, shallowRef, watch } from 'vue';
import type { ProcedureOutput } from '../../../api/index.ts';
import { errorText } from '../desk/use-loaded.ts';
import { useTimer } from '../timer.ts';
import { useTransport } from '../transport/transport.ts';

export type RequestRow = ProcedureOutput<'requests.list'>['requests'][number];

/** The engine keeps as many. */
const MAX_REQUESTS = 250;
const POLL_MS = 1_000;

export interface RequestFollow {
  /** Newest first; undefined until they are read. */
  readonly requests: Readonly<Ref<readonly RequestRow[] | undefined>>;
  /** Number of newer requests that are not shown yet. */
  readonly waiting: Readonly<Ref<number>>;
  readonly error: Readonly<Ref<string | undefined>>;
  readonly showWaiting: () => void;
}

/**
 * Follows the last requests of a DApp, or of all, while the list is open. While `isHeld` returns true, new ones wait.
 *
 * @param isHeld returns true while the operator is reading rows that would move
 */
export const useRequests = (paymasterId: () => string | undefined, isHeld: () => boolean): RequestFollow => {
  const transport = useTransport();
  const timer = useTimer();
  const shown = shallowRef<readonly RequestRow[]>();
  const waiting = shallowRef<readonly RequestRow[]>([]);
  const error = ref<string>();
  let last = 0;
  let isOver = false;
  let cancel = (): void => undefined;

  const showWaiting = (): void => {
    shown.value = [...waiting.value, ...(shown.value ?? [])].slice(0, MAX_REQUESTS);
    waiting.value = [];
  };
  const restart = (): void => {
    last = 0;
    shown.value = undefined;
    waiting.value = [];
  };
  const read = async (): Promise<void> => {
    const dapp = paymasterId();
    const answer = await transport.call('requests.list', {
      after: last,
      limit: MAX_REQUESTS,
      ...(dapp !== undefined && { paymasterId: dapp }),
    });
    if (dapp !== paymasterId()) return;
    // The engine was restarted, and counts again.
    if (answer.last < last) restart();
    last = answer.last;
    waiting.value = [...answer.requests, ...waiting.value].slice(0, MAX_REQUESTS);
    if (shown.value === undefined || !isHeld()) showWaiting();
  };
  const poll = async (): Promise<void> => {
    error.value = await read().then(() => undefined, errorText);
    if (!isOver) cancel = timer.after(POLL_MS, () => void poll());
  };
  watch(paymasterId, () => {
    restart();
    cancel();
    void poll();
  });
  void poll();
  onScopeDispose(() => {
    isOver = true;
    cancel();
  });
  return { requests: computed(() => shown.value), waiting: computed(() => waiting.value.length), error, showWaiting };
};
