import { chainMethod } from '../names-of-chain.ts';

/** The same for Candide's client. */
export const pmChainId = chainMethod('pm_chainId');
