import { chainMethod } from '../names-of-chain.ts';

/** The chain id, because some clients ask any URL for its chain. */
export const ethChainId = chainMethod('eth_chainId');
