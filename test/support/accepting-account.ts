import type { Hex } from '../../src/shared/schema/hex.ts';

/** Code of an account that answers 0 to every call: whatever it is asked to validate is valid. */
export const ACCEPTING_ACCOUNT: Hex = '0x5f5f5260205ff3';
