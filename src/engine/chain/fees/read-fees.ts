import { EngineError } from '../../../shared/errors.ts';
import { type BlockGas, readBlockGas, readQuantity } from '../gas/eth-call.ts';
import { type RpcClient, RpcError } from '../rpc.ts';

/** A gas price that the node reports; undefined if it reports none. No decision depends on it alone. */
const readPrice = async (rpc: RpcClient, method: string): Promise<bigint | undefined> => {
  try {
    return await readQuantity(rpc, method, []);
  } catch (error) {
    if (error instanceof RpcError || error instanceof EngineError) return undefined;
    throw error;
  }
};

/** For a node that suggests no tip: its gas price beyond the base fee, wei per gas. */
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
  // Read at the same time, so that it takes no extra time.
  const [block, tipWei] = await Promise.all([readBlockGas(rpc), readPrice(rpc, 'eth_maxPriorityFeePerGas')]);
  return { block, suggestedTipWei: tipWei ?? (await tipOfGasPrice(rpc, block.baseFeePerGas)) };
};
