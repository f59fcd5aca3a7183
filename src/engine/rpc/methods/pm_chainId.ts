import { chainMethod } from '../names-of-chain.ts';

/** The chain id, for Candide's client. */
export const pmChainId = chainMethod('pm_chainId');
