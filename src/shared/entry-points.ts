import type { Address } from './schema/hex.ts';
import type { EntryPointVersion } from './schema/user-operation.ts';

/**
 * The canonical EntryPoint of each version. Its address is the same on every chain
 * (eth-infinitism/account-abstraction).
 */
export const entryPointAddress: Readonly<Record<EntryPointVersion, Address>> = {
  '0.6': '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789',
  '0.7': '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
  '0.8': '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108',
};
