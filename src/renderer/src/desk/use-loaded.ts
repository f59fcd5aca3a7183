import { type Ref, ref, shallowRef, watch } from 'vue';
import { EngineError } from '../../../shared/errors.ts';
import { useDesk } from './desk-store.ts';

export interface Loaded<T> {
  /** Undefined until the data is read. */
  readonly data: Readonly<Ref<T | undefined>>;
  readonly error: Readonly<Ref<string | undefined>>;
  readonly reload: () => Promise<void>;
}

export const errorText = (error: unknown): string =>
  error instanceof EngineError ? error.message : 'The engine does not answer.';

export interface QuietReload {
  /** When this value changes, the data is read again, and the old data stays visible meanwhile. */
  readonly quietly: () => unknown;
}

/**
 * Reads data whenever its dependencies change, and after a reconnect. A response is dropped if a newer request was
 * sent.
 */
export const useLoaded = <T>(
  dependsOn: () => unknown,
  read: () => Promise<T> | undefined,
  rereading?: QuietReload,
): Loaded<T> => {
  const desk = useDesk();
  const data = shallowRef<T>();
  const error = ref<string>();
  let latest = 0;
  let inFlight = 0;
  const reload = async (): Promise<void> => {
    const mine = (latest += 1);
    inFlight += 1;
    try {
      const answer = await read();
      if (mine !== latest) return;
      // If the answer is equal, the old object is kept, so that a form built from it keeps what was typed.
      if (JSON.stringify(answer) !== JSON.stringify(data.value)) data.value = answer;
      error.value = undefined;
    } catch (cause) {
      if (mine === latest) error.value = errorText(cause);
    } finally {
      inFlight -= 1;
    }
  };
  watch(
    dependsOn,
    () => {
      data.value = undefined;
      void reload();
    },
    { immediate: true },
  );
  if (rereading !== undefined) {
    watch(rereading.quietly, () => {
      // A request that still waits for a slow chain is not repeated. Without a connection, none is sent.
      if (inFlight === 0 && desk.connection === 'connected') void reload();
    });
  }
  watch(
    () => desk.connection,
    (connection, before) => {
      if (connection === 'connected' && before !== 'starting') void reload();
    },
  );
  return { data, error, reload };
};
