import { defineStore } from 'pinia';
import { useDesk } from './desk-store.ts';
import { useCall } from './use-call.ts';

const EVERY_MS = 10_000;

/** The gas tanks and chains, read once for the top bar and the pages. A review has none. */
export const useExposure = defineStore('exposure', () => {
  const desk = useDesk();
  const dapps = (): string => desk.dapps.map(({ paymasterId }) => paymasterId).join();
  /** A settlement shows at once, before the next tick counts it as news. */
  const settled = (): string => [...desk.settled.keys()].at(-1) ?? '';
  const { data, error } = useCall(
    'exposure.get',
    () => (desk.info === undefined || desk.info.review ? undefined : {}),
    { quietly: () => `${dapps()} ${settled()} ${desk.news} ${Math.floor(desk.now / EVERY_MS)}` },
  );
  return { data, error };
});
