import type { SimulatedGas } from '../../core/facts.ts';
import { type OfferQuestion, needsSimulation } from '../../core/rules/fees.ts';
import { STUB_SIGNATURE } from '../../core/paymaster-layouts/layout.ts';
import { callGasUsed } from '../../core/user-operation/unused-gas-penalty.ts';
import { EngineError } from '../../shared/errors.ts';
import { ampleFunds } from '../chain/gas/ample-funds.ts';
import { withAuthorization } from '../chain/gas/delegation.ts';
import { mergeOverrides } from '../chain/gas/eth-call.ts';
import { simulateHandleOp } from '../chain/gas/handle-op.ts';
import type { RpcClient } from '../chain/rpc.ts';
import type { ReadyPaymaster } from '../paymaster/readiness.ts';

/** Why nothing is known of an operation. The EntryPoint names what it rejects; a node that cannot simulate names nothing. */
const failureOf = ({ data }: EngineError): SimulatedGas => ({
  failure: data['aaCode'] === undefined ? 'NO_ANSWER' : 'REJECTED',
});

/**
 * What the operation uses of its limits, where its fees would be denied otherwise: most operations give their bundler so
 * little that nobody has to ask. One simulation, paid by the account, so that nothing signed is in it. An account can tell
 * it from the chain and behave otherwise there.
 *
 * @throws what is no answer of the node, and nothing else: silence proves no use
 */
export const readSimulatedGas = async (
  rpc: RpcClient | undefined,
  { entryPoint, layout }: Pick<ReadyPaymaster, 'entryPoint' | 'layout'>,
  { op, chain, isPaidInToken }: Omit<OfferQuestion, 'version'>,
): Promise<SimulatedGas | undefined> => {
  const version = layout.entryPointVersion;
  if (rpc === undefined || !needsSimulation({ op, version, chain, isPaidInToken })) return undefined;
  const state = mergeOverrides(ampleFunds(entryPoint, [op.sender], undefined), withAuthorization(op));
  // Accounts may revert where there is no signature at all.
  const signature = op.signature.length < STUB_SIGNATURE.length ? STUB_SIGNATURE : op.signature;
  try {
    const simulation = { rpc, version, entryPoint, state, sponsor: undefined };
    const { validation, execution } = await simulateHandleOp(simulation, { ...op, signature });
    const call = callGasUsed(version, op.callGasLimit, execution);
    return { validation: String(validation), call: String(call) };
  } catch (error) {
    if (error instanceof EngineError) return failureOf(error);
    throw error;
  }
};
