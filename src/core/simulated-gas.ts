import type { Facts, SimulatedGas } from './facts.ts';
import { fromRpcUserOperation } from './user-operation/rpc-user-operation.ts';

/** What an operation that uses all its limits uses where it is simulated. */
export const allUsed = (op: Facts['op']): SimulatedGas => {
  const { verificationGasLimit, callGasLimit } = fromRpcUserOperation(op);
  return { validation: String(verificationGasLimit), call: String(callGasLimit) };
};
