import { EngineError } from '../../../shared/errors.ts';
import { type BlockGas, readBlockGas, readQuantity } from '../gas/eth-call.ts';
import { type RpcClient, RpcError } from '../rpc.ts';

/** A gas price that the node reports; undefined if it reports none. No decision depends only on this. */
const readPrice = async (rpc: RpcClient, method: string): Promise<bigint | undefined> => {
  try {
    return await readQuantity(rpc, method, []);
  } catch (error) {
    if (error instanceof RpcError || error instanceof EngineError) return undefined;
    throw error;
  }
};

/** The tip for a node that suggests none: its gas price minus the base fee, in wei per gas. */
const tipOfGasPrice = async (rpc: RpcClient, baseFeeWei: bigint): Promise<bigint | undefined> => {
  const gasPriceWei = await readPrice(rpc, 'eth_gasPrice');
  return gasPriceWei === undefined || gasPriceWei < baseFeeWei ? undefined : gasPriceWei - baseFeeWei;
};

export interface FeeReading {
  readonly block: BlockGas;
  /** Wei per gas; undefined if the node suggests none. */
  readonly suggestedTipWei: bigint | undefined;
}

/** The latest block and the suggested tip. @throws RpcError, EngineError `CHAIN_UNREACHABLE` */
export const readFees = async (rpc: RpcClient): Promise<FeeReading> => {
  // Both are requested at the same time, so that the tip takes no additional time.
  const [block, tipWei] = await Promise.all([readBlockGas(rpc), readPrice(rpc, 'eth_maxPriorityFeePerGas')]);
  return { block, suggestedTipWei: tipWei ?? (await tipOfGasPrice(rpc, block.baseFeePerGas)) };
};
