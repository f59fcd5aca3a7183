import { stubPaymasterAndData } from '../../core/paymaster-layouts/layout.ts';
import { withPaymasterAndData } from '../../core/user-operation/paymaster-fields.ts';
import type { Facts } from '../../core/facts/facts.ts';
import { type UserOperation, isV06 } from '../../shared/schema/user-operation.ts';
import type { Address } from '../../shared/schema/hex.ts';
import { tryAccount } from '../chain/gas/account-creation.ts';
import { trySigned } from '../chain/gas/signed-operation.ts';
import { findValidationFailure } from '../chain/gas/account-validation.ts';
import { readCode } from '../chain/gas/eth-call.ts';
import { type RpcClient, isUnreachable } from '../chain/rpc.ts';
import { readAccountNonce } from '../paymaster/contract-reads.ts';
import type { ReadyPaymaster } from '../paymaster/readiness.ts';
import { withCallErrors } from '../paymaster/verify-contract.ts';

/**
 * Paymaster data with a placeholder signature and an endless validity window. An account that inspects the operation
 * finds a paymaster, although Gasdesk has signed nothing.
 */
const withStub = (
  { layout, chainId, contract, fundingWallet }: ReadyPaymaster,
  op: UserOperation,
  { senderNonce, delegate }: Pick<AccountQuestion, 'senderNonce' | 'delegate'>,
): UserOperation => {
  const terms = {
    chainId,
    paymaster: contract,
    validAfter: 0,
    validUntil: 0,
    ...(fundingWallet !== undefined && { fundingWallet }),
    ...(senderNonce !== undefined && { senderNonce }),
    ...(delegate !== undefined && { eip7702Delegate: delegate }),
  };
  return withPaymasterAndData(op, stubPaymasterAndData(layout, op, terms));
};

const readTrial = async (
  rpc: RpcClient,
  ready: ReadyPaymaster,
  { op, ...terms }: AccountQuestion,
): Promise<Pick<NonNullable<Facts['account']>, 'creationFailure' | 'validationFailure'>> => {
  const { creationFailure, isValidated } = await tryAccount(rpc, ready.entryPoint, op);
  if (creationFailure !== undefined) return { creationFailure };
  const failure = isValidated
    ? undefined
    : await findValidationFailure(rpc, ready.entryPoint, withStub(ready, op, terms));
  return failure === undefined ? {} : { validationFailure: failure };
};

/** Simulates the operation with the account's signature, which does not cover the paymaster's signature. */
const readSigned = async (
  rpc: RpcClient,
  ready: ReadyPaymaster,
  { op, ...terms }: AccountQuestion,
): Promise<Pick<NonNullable<Facts['account']>, 'signedFailure'>> => {
  const failure = await trySigned(rpc, ready.entryPoint, withStub(ready, op, terms));
  return failure === undefined ? {} : { signedFailure: failure };
};

interface AccountQuestion {
  readonly op: UserOperation;
  /** True if the account has already signed the operation. */
  readonly isSigned: boolean;
  readonly senderNonce: bigint | undefined;
  /** The contract to which an EIP-7702 account delegates. */
  readonly delegate: Address | undefined;
  /** False: the gas limits are not final. They are then not checked for factory and account. */
  readonly isGasGiven: boolean;
  /** The pending read of the tank and the fees. */
  readonly money: Promise<Facts['chain']>;
}

/**
 * Reads data that can show that an operation is invalid. Undefined without a node, or if the read of the tank and the
 * fees also found the node unreachable and the operator allows signing then. Throws if the node answers only for the
 * tank and the fees, so that nothing is signed.
 *
 * @throws EngineError `CHAIN_UNREACHABLE`, `CONTRACT_MISMATCH` or `PAYMASTER_NOT_READY`
 */
export const readAccount = async (
  rpc: RpcClient | undefined,
  ready: ReadyPaymaster,
  question: AccountQuestion,
): Promise<Facts['account']> => {
  if (rpc === undefined) return undefined;
  const { op, isGasGiven, money } = question;
  const { sender, nonce } = op;
  try {
    const tried = question.isSigned ? readSigned : readTrial;
    const [code, nextNonce, trial] = await withCallErrors(ready, () =>
      Promise.all([
        readCode(rpc, sender),
        readAccountNonce(rpc.call, ready.entryPoint, sender, nonce >> 64n),
        isGasGiven ? tried(rpc, ready, question) : undefined,
      ]),
    );
    const takesOnCode = !isV06(op) && op.eip7702Auth !== undefined;
    return { hasCode: code !== '0x' || takesOnCode, nextNonce: String(nextNonce), ...trial };
  } catch (error) {
    if (isUnreachable(error) && (await money) === null) return undefined;
    throw error;
  }
};
