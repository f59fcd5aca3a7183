import { EngineError } from '../../../shared/errors.ts';
import { type BlockGas, readBlockGas, readQuantity } from '../gas/eth-call.ts';
import { type RpcClient, RpcError } from '../rpc.ts';

/** A price of gas that the node tells; undefined where it does not: nothing is refused for that, and nothing allowed. */
const readPrice = async (rpc: RpcClient, method: string): Promise<bigint | undefined> => {
  try {
    return await readQuantity(rpc, method, []);
  } catch (error) {
    if (error instanceof RpcError || error instanceof EngineError) return undefined;
    throw error;
  }
};

/** What a node that suggests no tip asks for gas beyond the base fee, wei per gas. */
const tipOfGasPrice = async (rpc: RpcClient, baseFeeWei: bigint): Promise<bigint | undefined> => {
  const gasPriceWei = await readPrice(rpc, 'eth_gasPrice');
  return gasPriceWei === undefined || gasPriceWei < baseFeeWei ? undefined : gasPriceWei - baseFeeWei;
};

/** What a node says of fees at one moment. */
export interface FeeReading {
  readonly block: BlockGas;
  /** Wei per gas; undefined where the node suggests none. */
  readonly suggestedTipWei: bigint | undefined;
}

/** Reads the latest block and what the node suggests as a tip. @throws RpcError, EngineError `CHAIN_UNREACHABLE` */
export const readFees = async (rpc: RpcClient): Promise<FeeReading> => {
  // Asked at the same time, so that it takes no time of its own.
  const [block, tipWei] = await Promise.all([readBlockGas(rpc), readPrice(rpc, 'eth_maxPriorityFeePerGas')]);
  return { block, suggestedTipWei: tipWei ?? (await tipOfGasPrice(rpc, block.baseFeePerGas)) };
};
