import { type CreationFailure, factoryOf } from '../../core/rules/validity.ts';
import type { Facts } from '../../core/facts.ts';
import { type UserOperation, isV06 } from '../../shared/schema/user-operation.ts';
import { tryCreation } from '../chain/gas/account-creation.ts';
import { readCode } from '../chain/gas/eth-call.ts';
import { type RpcClient, isUnreachable } from '../chain/rpc.ts';
import { readAccountNonce } from '../paymaster/contract-reads.ts';
import type { ReadyPaymaster } from '../paymaster/readiness.ts';
import { asked } from './chain-reads.ts';

const readCreation = async (
  rpc: RpcClient,
  { entryPoint }: ReadyPaymaster,
  op: UserOperation,
): Promise<CreationFailure | undefined> => (factoryOf(op) === undefined ? undefined : tryCreation(rpc, entryPoint, op));

/** Whose account is asked about. */
interface AccountQuestion {
  readonly op: UserOperation;
  /** False: the gas limits are not those to sign for, so nobody asks whether they suffice for the factory. */
  readonly isGasGiven: boolean;
  /** The reading of the money, in flight. */
  readonly money: Promise<Facts['chain']>;
}

/**
 * Reads what tells that an operation cannot be valid. Undefined without a node, and where the money could not be read
 * either and the operator allows that. Where the node answers for the money and not for this, nothing is signed.
 *
 * @throws EngineError `CHAIN_UNREACHABLE`, `CONTRACT_MISMATCH` or `PAYMASTER_NOT_READY`
 */
export const readAccount = async (
  rpc: RpcClient | undefined,
  ready: ReadyPaymaster,
  { op, isGasGiven, money }: AccountQuestion,
): Promise<Facts['account']> => {
  if (rpc === undefined) return undefined;
  const { sender, nonce } = op;
  try {
    const [code, nextNonce, creationFailure] = await asked(ready, () =>
      Promise.all([
        readCode(rpc, sender),
        readAccountNonce(rpc.call, ready.entryPoint, sender, nonce >> 64n),
        isGasGiven ? readCreation(rpc, ready, op) : undefined,
      ]),
    );
    const takesOnCode = !isV06(op) && op.eip7702Auth !== undefined;
    return {
      hasCode: code !== '0x' || takesOnCode,
      nextNonce: String(nextNonce),
      ...(creationFailure !== undefined && { creationFailure }),
    };
  } catch (error) {
    if (isUnreachable(error) && (await money) === null) return undefined;
    throw error;
  }
};
