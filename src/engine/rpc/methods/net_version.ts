import { chainMethod } from '../names-of-chain.ts';

/** The chain id in decimal digits, as this method requires. */
export const netVersion = chainMethod('net_version', String);
