import { tellingChain } from '../names-of-chain.ts';

/** Some clients find out the chain from whatever URL they are given. */
export const ethChainId = tellingChain('eth_chainId');
