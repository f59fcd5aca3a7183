import { tellingChain } from '../names-of-chain.ts';

/** Some clients ask any URL for its chain. */
export const ethChainId = tellingChain('eth_chainId');
