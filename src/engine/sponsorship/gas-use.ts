import { entryPoints } from '../../core/entry-points/registry.ts';
import type { Facts } from '../../core/facts.ts';
import { type OfferQuestion, dependsOnUse } from '../../core/user-operation/bundler-surplus.ts';
import { EngineError } from '../../shared/errors.ts';
import type { RpcClient } from '../chain/rpc.ts';
import type { ReadyPaymaster } from '../paymaster/readiness.ts';
import { tryOperation } from '../token-mode/try-payment.ts';

/**
 * What an operation uses of its limits, where its fees would be denied otherwise: most operations give their bundler so
 * little that nobody has to ask. It is simulated without anything signed. An account can tell that from the chain, and
 * behave otherwise there.
 *
 * @returns null where the node does not answer: a silence proves no use; undefined where it is not asked
 */
export const readGasUse = async (
  rpc: RpcClient | undefined,
  ready: ReadyPaymaster,
  { op, chain, isPaidInToken }: Omit<OfferQuestion, 'entryPoint'>,
): Promise<Facts['gasUsed']> => {
  const entryPoint = entryPoints[ready.layout.entryPointVersion];
  if (rpc === undefined || !dependsOnUse({ op, entryPoint, chain, isPaidInToken })) return undefined;
  try {
    const { validationGasUsed, callGasUsed } = await tryOperation(rpc, ready, op);
    return { validation: String(validationGasUsed), call: String(callGasUsed) };
  } catch (error) {
    if (error instanceof EngineError) return null;
    throw error;
  }
};
