import { useDesk } from './desk-store.ts';
import type { Exposure } from './types.ts';
import { useCall } from './use-call.ts';
import type { Loaded } from './use-loaded.ts';

const EVERY_MS = 10_000;

export const useExposure = (): Loaded<Exposure> => {
  const desk = useDesk();
  const dapps = (): string => desk.dapps.map(({ paymasterId }) => paymasterId).join();
  return useCall('exposure.get', () => ({}), {
    quietly: () => `${dapps()} ${desk.news} ${Math.floor(desk.now / EVERY_MS)}`,
  });
};
