import { EngineError } from '../../shared/errors.ts';
import { type UserOperation, isV06 } from '../../shared/schema/user-operation.ts';
import type { RpcClient } from '../chain/rpc.ts';
import type { TokenSale } from '../token-mode/token-sale.ts';
import { tryPayment } from '../token-mode/try-payment.ts';

/** An operation that is paid in a token, and its sale on the terms of what taking that token costs. */
export interface TokenTaking {
  readonly sale: TokenSale;
  /** With gas for taking the tokens. */
  readonly op: UserOperation;
  /** False: the paymaster would not get its tokens. Undefined where nobody can try. */
  readonly taken: boolean | undefined;
}

/** How an operation's gas came about. */
interface GasOrigin {
  /** True: limits that are too low may be raised. */
  readonly open: boolean;
  /** What to give the operation's call, where its own limit is not known yet. */
  readonly callGasLimit?: bigint;
}

const DRAFT_SLACK_PERCENT = 20n;

/**
 * Tries whether the paymaster gets its tokens, and what that costs it.
 *
 * @throws EngineError `VALIDATION` if a limit that may not be raised is too low for taking this token: the paymaster
 *   would pay for the operation; `CHAIN_UNREACHABLE`, `GAS_ESTIMATION_FAILED` as `tryPayment`
 */
export const tryTaking = async (
  rpc: RpcClient | undefined,
  sale: TokenSale,
  op: UserOperation,
  { open, callGasLimit }: GasOrigin,
): Promise<TokenTaking> => {
  if (rpc === undefined) return { sale, op, taken: undefined };
  const { taken, transferGas } = await tryPayment(rpc, sale, op, callGasLimit);
  if (!taken) return { sale, op, taken };
  const known = sale.withTransferGas(transferGas);
  // A draft's limits come back with the final operation: what the token uses may have risen by then.
  const raised = withGasForTaking(known, op, callGasLimit === undefined ? 0n : DRAFT_SLACK_PERCENT);
  if (!open) requireGasForTaking(known, op, raised);
  return { sale: known, op: raised, taken };
};

/** The operation with the limit that postOp needs to take the tokens: v0.6 gives it that of validation. */
export const withGasForTaking = (
  { leastPostOpGas }: TokenSale,
  op: UserOperation,
  slackPercent = 0n,
): UserOperation => {
  const least = (leastPostOpGas * (100n + slackPercent)) / 100n;
  if (isV06(op)) return op.verificationGasLimit < least ? { ...op, verificationGasLimit: least } : op;
  return (op.paymasterPostOpGasLimit ?? 0n) < least ? { ...op, paymasterPostOpGasLimit: least } : op;
};

const requireGasForTaking = ({ leastPostOpGas, token }: TokenSale, op: UserOperation, raised: UserOperation): void => {
  if (raised === op) return;
  const field = isV06(op) ? 'verificationGasLimit' : 'paymasterPostOpGasLimit';
  const message = `${field} must be at least ${leastPostOpGas} to take ${token.symbol} after the operation`;
  throw new EngineError('VALIDATION', message, { errors: [message] });
};
