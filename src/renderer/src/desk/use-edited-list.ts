import { type Ref, ref } from 'vue';
import { useDesk } from './desk-store.ts';
import { useAction } from './use-action.ts';
import { useLoaded } from './use-loaded.ts';

export interface EditedList<T> {
  /** Undefined until the items are read. */
  readonly items: Readonly<Ref<readonly T[] | undefined>>;
  readonly error: Readonly<Ref<string | undefined>>;
  readonly changeError: Readonly<Ref<string | undefined>>;
  /** True if the form for a new item is open. */
  isAdding: Ref<boolean>;
  readonly reload: () => Promise<void>;
  /** Makes a change, reports it, and reads the list again. */
  readonly change: (act: () => Promise<unknown>, done: string) => Promise<void>;
}

export const useEditedList = <T>(
  dependsOn: () => unknown,
  read: () => Promise<readonly T[]> | undefined,
): EditedList<T> => {
  const { error: changeError, run } = useAction();
  const desk = useDesk();
  // Read with every tick, so that changes made in another console or on the command line appear.
  const { data: items, error, reload } = useLoaded(dependsOn, read, { quietly: () => desk.now });
  return {
    items,
    error,
    changeError,
    reload,
    isAdding: ref(false),
    change: async (act, done) => {
      await run(act, done);
      await reload();
    },
  };
};
