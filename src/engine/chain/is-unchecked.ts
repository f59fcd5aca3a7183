import type { ChainSettings } from '../store/registry-store.ts';

/** True for a chain without an RPC URL, whose operations are signed without checking fees and gas tank. */
export const isUnchecked = (settings: Pick<ChainSettings, 'rpc'> | undefined): boolean =>
  (settings?.rpc ?? null) === null;
