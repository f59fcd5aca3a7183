import { useTransport } from '../transport/transport.ts';
import { useDesk } from './desk-store.ts';
import type { Exposure } from './types.ts';
import { type Loaded, useLoaded } from './use-loaded.ts';

const EVERY_MS = 10_000;

/** What is signed for and what there is to pay it with, kept up to date. */
export const useExposure = (): Loaded<Exposure> => {
  const desk = useDesk();
  const transport = useTransport();
  return useLoaded(
    () => desk.dapps,
    () => transport.call('exposure.get', {}),
    { quietly: () => Math.floor(desk.now / EVERY_MS) },
  );
};
