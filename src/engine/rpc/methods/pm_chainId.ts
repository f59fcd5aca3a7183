import { tellingChain } from '../names-of-chain.ts';

/** The same for Candide's client. */
export const pmChainId = tellingChain('pm_chainId');
