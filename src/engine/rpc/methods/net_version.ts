import { tellingChain } from '../names-of-chain.ts';

/** The chain id in decimal digits, as this method requires. */
export const netVersion = tellingChain('net_version', String);
