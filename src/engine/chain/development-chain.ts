import { type RpcClient, RpcError } from './rpc.ts';

/** Hardhat's and anvil's chain id, and the one of Ganache and `geth --dev`. */
const DEVELOPMENT_IDS: readonly number[] = [31337, 1337];
/** Nodes that mine only when there is something to mine; forks of public chains have the public chain's id. */
const DEVELOPMENT_NODES = /^(anvil|hardhat|ganache|ethereumjs)/i;

/** True if the chain is one for development, which mines no blocks while nothing is sent. @throws EngineError `CHAIN_UNREACHABLE` */
export const isDevelopmentChain = async (rpc: RpcClient, chainId: number): Promise<boolean> => {
  if (DEVELOPMENT_IDS.includes(chainId)) return true;
  try {
    const version = await rpc.send('web3_clientVersion', []);
    return typeof version === 'string' && DEVELOPMENT_NODES.test(version);
  } catch (error) {
    if (error instanceof RpcError) return false;
    throw error;
  }
};
