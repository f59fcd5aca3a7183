import { z } from 'zod';
import type { DecisionRecord } from '../../shared/schema/decision.ts';
import { address } from '../../shared/schema/hex.ts';
import { readableFacts } from '../decision/record.ts';
import { fromRpcUserOperation } from '../user-operation/rpc-user-operation.ts';
import type { DecidedOperation } from './knowledge.ts';

const placed = z.object({
  entryPoint: address,
  sender: address,
  nonce: z.string().regex(/^\d{1,78}$/),
  paymasterAndData: z.string(),
});

/**
 * The signed operation; empty if the decision's record contains no facts, or if the facts in a reviewed file are
 * invalid.
 */
const signedOf = (record: DecisionRecord): Partial<DecidedOperation> => {
  try {
    const facts = readableFacts(record);
    if (facts === undefined) return {};
    const { contract, senderNonce, delegate, op } = facts;
    return {
      op: fromRpcUserOperation(op),
      signer: address.parse(contract.signer),
      ...(senderNonce !== undefined && { senderNonce: BigInt(senderNonce) }),
      ...(delegate !== undefined && { delegate: address.parse(delegate) }),
    };
  } catch {
    return {};
  }
};

/** The operation of a decision; empty if the record does not name one. */
export const decidedOperation = (record: DecisionRecord): DecidedOperation[] => {
  const { success, data } = placed.safeParse(record);
  if (!success) return [];
  return [{ ...data, chainId: record.chainId, nonce: BigInt(data.nonce), ...signedOf(record) }];
};
