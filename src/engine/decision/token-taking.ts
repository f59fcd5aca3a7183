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
  /** True: it was estimated where nothing is taken. */
  readonly estimated: boolean;
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
  { estimated, open, callGasLimit }: GasOrigin,
): Promise<TokenTaking> => {
  const taking = ({ withTransfers }: TokenSale): UserOperation => (estimated ? withTransfers(op) : op);
  const guessed = taking(sale);
  if (rpc === undefined) return { sale, op: guessed, taken: undefined };
  const { taken, transferGas } = await tryPayment(rpc, sale, guessed, callGasLimit);
  if (!taken) return { sale, op: guessed, taken };
  const known = sale.withTransferGas(transferGas);
  const tried = taking(known);
  // A draft's limits come back with the final operation: what the token uses may have risen by then.
  if (!open) requireGasForTaking(known, tried);
  const slackPercent = callGasLimit === undefined ? 0n : DRAFT_SLACK_PERCENT;
  return { sale: known, op: withGasForTaking(known, tried, slackPercent), taken };
};

type GasLimit = 'verificationGasLimit' | 'paymasterVerificationGasLimit' | 'paymasterPostOpGasLimit';

/** What limits it takes to take the tokens: v0.6 has one for validation and postOp. */
const leastLimits = (
  { leastPostOpGas, leastValidationGas }: TokenSale,
  op: UserOperation,
): Partial<Record<GasLimit, bigint>> =>
  isV06(op)
    ? { verificationGasLimit: leastPostOpGas > leastValidationGas ? leastPostOpGas : leastValidationGas }
    : { paymasterVerificationGasLimit: leastValidationGas, paymasterPostOpGasLimit: leastPostOpGas };

/** The limits that are too low to take the tokens, as they would have to be. */
const tooLow = (sale: TokenSale, op: UserOperation, slackPercent: bigint): [GasLimit, bigint][] => {
  const limits: Partial<Record<GasLimit, bigint>> = op;
  return (Object.entries(leastLimits(sale, op)) as [GasLimit, bigint][])
    .map(([field, gas]): [GasLimit, bigint] => [field, (gas * (100n + slackPercent)) / 100n])
    .filter(([field, least]) => (limits[field] ?? 0n) < least);
};

/** The operation with limits that are enough to take the tokens, before it or after it. */
export const withGasForTaking = (sale: TokenSale, op: UserOperation, slackPercent = 0n): UserOperation => ({
  ...op,
  ...Object.fromEntries(tooLow(sale, op, slackPercent)),
});

const requireGasForTaking = (sale: TokenSale, op: UserOperation): void => {
  const messages = tooLow(sale, op, 0n).map(
    ([field, least]) => `${field} must be at least ${least} to take ${sale.token.symbol}`,
  );
  if (messages[0] !== undefined) throw new EngineError('VALIDATION', messages[0], { errors: messages });
};
