import { type ComputedRef, type Ref, computed, ref, watch } from 'vue';
import { useRoute, useRouter } from 'vue-router';
import { useDesk } from './desk-store.ts';
import type { Dapp } from './types.ts';
import { useAction } from './use-action.ts';
import { useLoaded } from './use-loaded.ts';

/** The DApp a page is about: the one that its URL names, else the one that the page before was about, else the first. */
export const useDapp = (): { dapp: ComputedRef<Dapp | undefined>; choose: (paymasterId: string) => void } => {
  const desk = useDesk();
  const route = useRoute();
  const router = useRouter();
  const named = computed(() => desk.dapps.find(({ paymasterId }) => paymasterId === route.query['dapp']));
  watch(
    named,
    (dapp) => {
      if (dapp !== undefined) desk.chosenDapp = dapp.paymasterId;
    },
    { immediate: true },
  );
  const dapp = computed(
    () => named.value ?? desk.dapps.find(({ paymasterId }) => paymasterId === desk.chosenDapp) ?? desk.dapps[0],
  );
  return {
    dapp,
    choose: (paymasterId) => void router.replace({ query: { ...route.query, dapp: paymasterId } }),
  };
};

/** What a page needs that lists and changes something. */
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

/** The same of what one DApp has. */
export interface DappList<T> extends EditedList<T> {
  readonly dapp: ComputedRef<Dapp | undefined>;
  readonly choose: (paymasterId: string) => void;
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

/** Lists what the chosen DApp has. */
export const useDappList = <T>(read: (paymasterId: string) => Promise<readonly T[]>): DappList<T> => {
  const { dapp, choose } = useDapp();
  const list = useEditedList(
    () => dapp.value?.paymasterId,
    () => (dapp.value ? read(dapp.value.paymasterId) : undefined),
  );
  return { ...list, dapp, choose };
};
