import { z } from 'zod';
import { quantity } from '../../../shared/schema/quantity.ts';
import type { RpcClient } from '../rpc.ts';

/** Fees of an operation, wei per gas. */
export interface OperationFees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** Fees for operations that may wait, that are usual, and that are urgent. */
export interface FeesBySpeed {
  readonly slow: OperationFees;
  readonly standard: OperationFees;
  readonly fast: OperationFees;
}

const fees = z.object({ maxFeePerGas: quantity, maxPriorityFeePerGas: quantity });
const bySpeed = z.object({ slow: fees, standard: fees, fast: fees });

/**
 * The fees that a bundler suggests. It may refuse operations below its lowest. The method is Pimlico's, and other
 * bundlers have it too.
 *
 * @returns undefined if the bundler does not suggest fees, or cannot be reached
 */
export const readBundlerFees = async (bundler: RpcClient): Promise<FeesBySpeed | undefined> => {
  const answer = await bundler.send('pimlico_getUserOperationGasPrice', []).catch(() => undefined);
  return bySpeed.safeParse(answer).data;
};
