import { type RpcClient, RpcError } from './rpc.ts';

/** The chain ids of Hardhat and anvil, and of Ganache and `geth --dev`. */
const DEVELOPMENT_IDS: readonly number[] = [31337, 1337];
/** Nodes that mine only when transactions are pending. A fork of a public chain keeps that chain's id. */
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
