import { max } from '../../shared/bigints.ts';
import { EngineError } from '../../shared/errors.ts';
import { type UserOperation, isV06 } from '../../shared/schema/user-operation.ts';
import type { RpcClient } from '../chain/rpc.ts';
import type { ReadyPaymentTerms } from '../token-mode/ready-payment-terms.ts';
import type { TokenHoldings } from '../token-mode/token-holdings.ts';
import { AMPLE_CALL_GAS, type TriedPayment, tryPayment } from '../token-mode/try-payment.ts';

/** An operation paid for in a token, with terms that include the gas for taking that token. */
export interface TokenCharge {
  readonly payment: ReadyPaymentTerms;
  readonly op: UserOperation;
  /** The result of the simulation; undefined without a node. */
  readonly trial: PaymentTrial | undefined;
}

/** Whether the paymaster gets its tokens and, if so, the user's remaining balance and allowance. */
export type PaymentTrial =
  | { readonly isTaken: true; readonly left: TokenHoldings }
  | {
      readonly isTaken: false;
      /** Absent: the prefund could not be taken, so the operation's calls did not run; or more gas would help. */
      readonly left?: TokenHoldings;
      /** Gas that the operation's call would need for the tokens to be taken. Absent: more gas would not help. */
      readonly callGasUsed?: bigint;
    };

interface GasOrigin {
  readonly estimated: boolean;
  /** True: the account's limits may be raised if they are too low. The paymaster's own limits may always be raised. */
  readonly open: boolean;
  /** The limit to use for the operation's call while the operation has none. */
  readonly callGasLimit?: bigint;
}

const DRAFT_SLACK_PERCENT = 20n;

/**
 * Simulates the operation to find out whether the paymaster gets its tokens, and how much gas this takes.
 *
 * @throws EngineError `VALIDATION` if the account's limit may not be raised and is too low for taking this token, in
 * which case the paymaster would pay for the operation; `CHAIN_UNREACHABLE` and `GAS_ESTIMATION_FAILED` like
 * `tryPayment`
 */
export const simulateTokenCharge = async (
  rpc: RpcClient | undefined,
  payment: ReadyPaymentTerms,
  op: UserOperation,
  { estimated, open, callGasLimit }: GasOrigin,
): Promise<TokenCharge> => {
  const charged = ({ withTransfers }: ReadyPaymentTerms): UserOperation => (estimated ? withTransfers(op) : op);
  const guessed = charged(payment);
  if (rpc === undefined) return { payment, op: guessed, trial: undefined };
  const first = await tryPayment(rpc, payment, guessed, callGasLimit);
  if (!first.taken) {
    const hadAmpleGas = (callGasLimit ?? guessed.callGasLimit) >= AMPLE_CALL_GAS;
    return {
      payment,
      op: guessed,
      trial: hadAmpleGas ? notTaken(first) : await tryWithAmpleGas(rpc, payment, guessed),
    };
  }
  const { units, transferGas, left } = first;
  const known = payment.withTransferGas(transferGas);
  const tried = charged(known);
  // The limits of a draft are sent again with the final operation, when the token may need more gas.
  if (!open) requireGasForCharge(known, tried);
  const slackPercent = callGasLimit === undefined ? 0n : DRAFT_SLACK_PERCENT;
  const final = withGasForCharge(known, tried, slackPercent);
  return { payment: known, op: final, trial: afterTaking(left, known.maxUnits(final) - units) };
};

/** The trial if `more` units had been taken: more gas than was known before it may be charged for. */
const afterTaking = ({ allowance, balance }: TokenHoldings, more: bigint): PaymentTrial =>
  more > allowance || more > balance
    ? { isTaken: false }
    : { isTaken: true, left: { allowance: allowance - more, balance: balance - more } };

const notTaken = ({ callGasUsed, left }: TriedPayment): PaymentTrial => ({
  isTaken: false,
  ...(callGasUsed > 0n && { left }),
});

const tryWithAmpleGas = async (
  rpc: RpcClient,
  payment: ReadyPaymentTerms,
  op: UserOperation,
): Promise<PaymentTrial> => {
  const again = await tryPayment(rpc, payment, op, AMPLE_CALL_GAS);
  return again.taken ? { isTaken: false, callGasUsed: again.callGasUsed } : notTaken(again);
};

type GasLimit = 'verificationGasLimit' | 'paymasterVerificationGasLimit' | 'paymasterPostOpGasLimit';

/** The limits that are required to take the tokens. v0.6 has a single limit for validation and postOp. */
const leastLimits = (
  { leastPostOpGas, leastValidationGas }: ReadyPaymentTerms,
  op: UserOperation,
): Partial<Record<GasLimit, bigint>> =>
  isV06(op)
    ? { verificationGasLimit: leastPostOpGas > leastValidationGas ? leastPostOpGas : leastValidationGas }
    : { paymasterVerificationGasLimit: leastValidationGas, paymasterPostOpGasLimit: leastPostOpGas };

/**
 * The limits that are too low to take the tokens, with their new values, which are at least the contract's usual ones.
 */
const tooLow = (payment: ReadyPaymentTerms, op: UserOperation, slackPercent: bigint): [GasLimit, bigint][] => {
  const limits: Partial<Record<GasLimit, bigint>> = op;
  const usual: Partial<Record<GasLimit, bigint>> = { ...payment.charging.layout.paymasterGas };
  return (Object.entries(leastLimits(payment, op)) as [GasLimit, bigint][])
    .map(([field, gas]): [GasLimit, bigint] => [field, (gas * (100n + slackPercent)) / 100n])
    .filter(([field, least]) => (limits[field] ?? 0n) < least)
    .map(([field, least]) => [field, max(least, usual[field] ?? 0n)]);
};

/** Raises limits as needed to take the tokens, before or after the operation. */
export const withGasForCharge = (payment: ReadyPaymentTerms, op: UserOperation, slackPercent = 0n): UserOperation => ({
  ...op,
  ...Object.fromEntries(tooLow(payment, op, slackPercent)),
});

const requireGasForCharge = (payment: ReadyPaymentTerms, op: UserOperation): void => {
  const messages = tooLow(payment, op, 0n)
    .filter(([field]) => field === 'verificationGasLimit')
    .map(([field, least]) => `${field} must be at least ${least} to take ${payment.token.symbol}`);
  if (messages[0] !== undefined) throw new EngineError('VALIDATION', messages[0], { errors: messages });
};
