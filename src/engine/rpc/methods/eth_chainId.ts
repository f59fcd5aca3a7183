import { chainMethod } from '../names-of-chain.ts';

/** Some clients ask any URL for its chain. */
export const ethChainId = chainMethod('eth_chainId');
