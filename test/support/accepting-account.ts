import type { Hex } from '../../src/shared/schema/hex.ts';

/** Code of an account that answers 0 to every call, and so validates everything. */
export const ACCEPTING_ACCOUNT: Hex = '0x5f5f5260205ff3';
