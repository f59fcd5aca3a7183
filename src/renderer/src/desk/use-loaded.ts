import { type Ref, ref, shallowRef, watch } from 'vue';
import { EngineError } from '../../../shared/errors.ts';
import { useDesk } from './desk-store.ts';

/** Something that is read from the engine. */
export interface Loaded<T> {
  /** Undefined until it is there. */
  readonly data: Readonly<Ref<T | undefined>>;
  /** Why the last reading failed. */
  readonly fault: Readonly<Ref<string | undefined>>;
  readonly reload: () => Promise<void>;
}

/** What a failure says to a person. */
export const faultText = (error: unknown): string =>
  error instanceof EngineError ? error.message : 'The engine does not answer.';

/** When something is read again without a word. */
export interface Rereading {
  /** What is shown stays while it is read again because this changed. */
  readonly quietly: () => unknown;
}

/**
 * Reads something whenever what it depends on changes, and again when a lost connection is back. An answer that has
 * been overtaken by a newer question is dropped.
 */
export const useLoaded = <T>(
  dependsOn: () => unknown,
  read: () => Promise<T> | undefined,
  rereading?: Rereading,
): Loaded<T> => {
  const desk = useDesk();
  const data = shallowRef<T>();
  const fault = ref<string>();
  let asked = 0;
  let underWay = 0;
  const reload = async (): Promise<void> => {
    const mine = (asked += 1);
    underWay += 1;
    try {
      const answer = await read();
      if (mine !== asked) return;
      // What is the same stays the same object: what somebody types into a form made of it is not thrown away.
      if (JSON.stringify(answer) !== JSON.stringify(data.value)) data.value = answer;
      fault.value = undefined;
    } catch (error) {
      if (mine === asked) fault.value = faultText(error);
    } finally {
      underWay -= 1;
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
      // A question to a slow chain is not overtaken by the same one; without a connection there is nobody to ask.
      if (underWay === 0 && desk.connection === 'connected') void reload();
    });
  }
  watch(
    () => desk.connection,
    (connection, before) => {
      if (connection === 'connected' && before !== 'starting') void reload();
    },
  );
  return { data, fault, reload };
};
