import { type ComputedRef, computed } from 'vue';
import { useRoute, useRouter } from 'vue-router';
import { useDesk } from './desk-store.ts';
import type { Dapp } from './types.ts';

/** The DApp a page is about: the one that its URL names, else the first. */
export const useDapp = (): { dapp: ComputedRef<Dapp | undefined>; choose: (paymasterId: string) => void } => {
  const desk = useDesk();
  const route = useRoute();
  const router = useRouter();
  const dapp = computed(
    () => desk.dapps.find(({ paymasterId }) => paymasterId === route.query['dapp']) ?? desk.dapps[0],
  );
  return {
    dapp,
    choose: (paymasterId) => void router.replace({ query: { ...route.query, dapp: paymasterId } }),
  };
};
