import { type Ref, ref } from 'vue';
import { useDesk } from './desk-store.ts';
import { useAction } from './use-action.ts';
import { useLoaded } from './use-loaded.ts';

/** What is needed to list and change something. */
export interface EditedList<T> {
  /** Undefined until they are read. */
  readonly items: Readonly<Ref<readonly T[] | undefined>>;
  /** Why they could not be read. */
  readonly fault: Readonly<Ref<string | undefined>>;
  /** Why the last change was refused. */
  readonly changeFault: Readonly<Ref<string | undefined>>;
  /** Whether the form for one more is open. */
  isAdding: Ref<boolean>;
  readonly reload: () => Promise<void>;
  /** Changes something, says so, and reads the list again. */
  readonly change: (act: () => Promise<unknown>, done: string) => Promise<void>;
}

/** Lists what is read, and read again when what it depends on changes. */
export const useEditedList = <T>(
  dependsOn: () => unknown,
  read: () => Promise<readonly T[]> | undefined,
): EditedList<T> => {
  const { fault: changeFault, run } = useAction();
  const desk = useDesk();
  // What another console or the command line changes shows within a tick.
  const { data: items, fault, reload } = useLoaded(dependsOn, read, { quietly: () => desk.now });
  return {
    ...{ items, fault, changeFault, reload },
    isAdding: ref(false),
    change: async (act, done) => {
      await run(act, done);
      await reload();
    },
  };
};
