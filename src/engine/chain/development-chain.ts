import { type RpcClient, RpcError } from './rpc.ts';

/** The chain id of Hardhat and anvil, and that of Ganache and `geth --dev`. */
const DEVELOPMENT_IDS: readonly number[] = [31337, 1337];
/** Nodes that mine only pending transactions. Forks of public chains have the public chain's id. */
const DEVELOPMENT_NODES = /^(anvil|hardhat|ganache|ethereumjs)/i;

/** True for a development chain, which mines no blocks while idle. @throws EngineError `CHAIN_UNREACHABLE` */
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
