import { type ComputedRef, type Ref, ref } from 'vue';
import type { Dapp } from './types.ts';
import { useAction } from './use-action.ts';
import { useDapp } from './use-dapp.ts';
import { useLoaded } from './use-loaded.ts';

/** What a page needs that lists and changes what one DApp has. */
export interface DappList<T> {
  readonly dapp: ComputedRef<Dapp | undefined>;
  readonly choose: (paymasterId: string) => void;
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

/** Lists what the chosen DApp has. */
export const useDappList = <T>(read: (paymasterId: string) => Promise<readonly T[]>): DappList<T> => {
  const { dapp, choose } = useDapp();
  const { fault: changeFault, run } = useAction();
  const {
    data: items,
    fault,
    reload,
  } = useLoaded(
    () => dapp.value?.paymasterId,
    () => (dapp.value ? read(dapp.value.paymasterId) : undefined),
  );
  return {
    ...{ dapp, choose, items, fault, changeFault, reload },
    isAdding: ref(false),
    change: async (act, done) => {
      await run(act, done);
      await reload();
    },
  };
};
