import { entryPoints } from '../../core/entry-points/registry.ts';
import type { Facts } from '../../core/facts/facts.ts';
import { type OfferQuestion, dependsOnUse } from '../../core/user-operation/bundler-surplus.ts';
import { EngineError } from '../../shared/errors.ts';
import type { RpcClient } from '../chain/rpc.ts';
import type { ReadyPaymaster } from '../paymaster/readiness.ts';
import { tryOperation } from '../token-mode/try-payment.ts';

/**
 * Gas that an operation uses, if it would otherwise be denied because of its fees. For most operations, the bundler
 * gains so little that the node is not called. The simulation uses no signature of Gasdesk. An account can detect the
 * simulation, and behave differently on chain.
 *
 * @returns null if the node does not answer, and then no gas counts as used; undefined if the node is not called
 */
export const readGasUse = async (
  rpc: RpcClient | undefined,
  ready: ReadyPaymaster,
  offered: Omit<OfferQuestion, 'entryPoint'>,
): Promise<Facts['gasUsed']> => {
  const entryPoint = entryPoints[ready.layout.entryPointVersion];
  if (rpc === undefined || !dependsOnUse({ ...offered, entryPoint })) return undefined;
  try {
    const { validationGasUsed, callGasUsed } = await tryOperation(rpc, ready, offered.op);
    return { validation: String(validationGasUsed), call: String(callGasUsed) };
  } catch (error) {
    if (error instanceof EngineError) return null;
    throw error;
  }
};
