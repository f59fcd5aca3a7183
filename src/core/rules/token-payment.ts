import { type Address, addressKey, sameAddress } from '../../shared/schema/hex.ts';
import type { Evidence } from '../../shared/denials.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import type { DecodedCall, Decoding } from '../calls/decoding.ts';
import type { Facts } from '../facts/facts.ts';
import type { PaymentToken } from '../token-mode/payment-terms.ts';
import { tokenDenials } from '../token-mode/token-denials.ts';
import { readTokenCall } from '../token-mode/token-call.ts';
import { type CheckResult, type RuleInput, type RuleKind, deny, pass, skip } from './rule.ts';

type Result = CheckResult<keyof typeof tokenDenials>;

/** The token payment on which a signature would rely. Amounts are in the token's smallest unit. */
export interface Payment {
  readonly sender: Address;
  /** The paymaster contract that takes the tokens. */
  readonly spender: Address;
  readonly token: PaymentToken;
  /** The maximum number of units that the user can be charged. */
  readonly maxUnits: bigint;
  /** The part taken before the operation runs. */
  readonly prefundUnits: bigint;
  readonly decoding: Decoding;
  /** The result of simulating the payment; undefined if it could not be simulated. */
  readonly trial: PaymentTrial | undefined;
}

/** The result of simulating a payment. */
export interface PaymentTrial {
  readonly isTaken: boolean;
  /** The user's holdings afterwards. Facts that were stored earlier may lack them. */
  readonly left?: Readonly<Holdings> | undefined;
  /**
   * Present if the payment would succeed with more gas: the gas that the operation's call then uses. Absent: more gas
   * would not help.
   */
  readonly outOfGas?: { readonly callGasUsed: bigint; readonly callGasLimit: bigint } | undefined;
}

/** The user's balance and allowance. */
interface Holdings {
  allowance: bigint;
  /** Negative if other operations take more than the balance. The user then needs the difference in addition. */
  balance: bigint;
}

const atLeastNone = (units: bigint): bigint => (units > 0n ? units : 0n);
const less = (held: bigint, taken: bigint): bigint => atLeastNone(held - taken);

/**
 * Applies the effect of a call in the operation's own batch to the holdings. Only the token's own functions are
 * recognised.
 */
const applyCall = (holdings: Holdings, call: DecodedCall, { sender, spender, token }: Payment): void => {
  if (call.operation !== 'call' || !sameAddress(call.target, token.address)) return;
  const made = readTokenCall(call.data);
  if (made?.change === 'allowance' && sameAddress(made.spender, spender)) {
    holdings.allowance = made.after(holdings.allowance);
  }
  if (made?.change === 'balance' && sameAddress(made.from ?? sender, sender) && !sameAddress(made.to, sender)) {
    holdings.balance -= made.units;
  }
};

/** The shortage, if there is one. @param before the balance before the operation's own calls, if these run first */
const compare = (
  holdings: Holdings,
  neededUnits: bigint,
  facts: Evidence,
  before = holdings.balance,
): Result | undefined => {
  const short = (code: 'TOKEN_ALLOWANCE_SHORT' | 'TOKEN_BALANCE_SHORT', left: bigint): Result =>
    deny(code, {
      ...facts,
      ...(code === 'TOKEN_BALANCE_SHORT' && before !== left && { beforeUnits: String(atLeastNone(before)) }),
      neededUnits: String(neededUnits),
      heldUnits: String(atLeastNone(left)),
      missingUnits: String(neededUnits - left),
    });
  if (holdings.allowance < neededUnits) return short('TOKEN_ALLOWANCE_SHORT', holdings.allowance);
  if (atLeastNone(holdings.balance) < neededUnits) return short('TOKEN_BALANCE_SHORT', holdings.balance);
  return undefined;
};

/**
 * The balance and allowance in a simulated operation, minus what is reserved for other operations. If the operation
 * itself approved the allowance, in its calls or its deployment, nothing is subtracted from the allowance: earlier
 * operations approve tokens themselves, or have used the earlier allowance.
 */
const besidesReserved = (
  left: Readonly<Holdings>,
  allowanceBefore: bigint,
  { maxUnits }: Payment,
  reservedUnits: bigint,
): Holdings => {
  const isOwn = left.allowance + maxUnits !== allowanceBefore;
  return {
    allowance: isOwn ? left.allowance + maxUnits : less(allowanceBefore, reservedUnits),
    balance: left.balance + maxUnits - reservedUnits,
  };
};

/**
 * Why the simulation could not take the tokens, although balance and allowance suffice. If the operation itself approves
 * them and changed nothing, its calls revert or its account cannot be deployed.
 */
const refuse = (payment: Payment, left: PaymentTrial['left'], before: Readonly<Holdings>): Result => {
  const { sender, spender, maxUnits } = payment;
  const { symbol, address: token } = payment.token;
  const hasChangedNothing = left?.allowance === before.allowance && left.balance === before.balance;
  return before.allowance < maxUnits && hasChangedNothing
    ? deny('TOKEN_CALLS_REVERT', { symbol, token, sender, spender })
    : deny('TOKEN_TRANSFER_REFUSED', { symbol, token, sender });
};

const asText = ({ callGasUsed, callGasLimit }: NonNullable<PaymentTrial['outOfGas']>): Evidence => ({
  callGasUsed: String(callGasUsed),
  callGasLimit: String(callGasLimit),
});

const ifAny = (key: string, units: bigint): Evidence => (units > 0n ? { [key]: String(units) } : {});

/**
 * Whether the user can pay the maximum charge. The result of a successful simulation is trusted, unless other
 * operations need the same tokens. If the simulation failed or was not made, the shortage is computed from two values:
 * the allowance or an approval in the operation's own batch, and the balance minus what the batch itself sends away.
 * @param reservedUnits the tokens that the user's other signed operations may still take
 */
export const checkTokenPayment = (
  payment: Payment,
  { allowance, balance }: Holdings,
  reservedUnits: bigint,
): Result => {
  const { sender, spender, token, maxUnits, prefundUnits, decoding, trial } = payment;
  const { isTaken, left, outOfGas }: Partial<PaymentTrial> = trial ?? {};
  const { symbol, decimals, address } = token;
  const holdings: Holdings = { allowance: less(allowance, reservedUnits), balance: balance - reservedUnits };
  const facts = { symbol, decimals, token: address, sender, spender, reservedUnits: String(reservedUnits) };
  const canPay = pass('USER_CAN_PAY', { ...facts, neededUnits: String(maxUnits), balanceUnits: String(balance) });
  // The batch cannot approve the prefund, because the batch runs later.
  const after = { ...ifAny('afterUnits', maxUnits - prefundUnits), prefund: true };
  const early = compare(holdings, prefundUnits, { ...facts, ...after });
  if (isTaken === true && left !== undefined) {
    // The tokens were available in the simulation, but other operations may take them first.
    const first = reservedUnits > 0n ? early : undefined;
    return first ?? compare(besidesReserved(left, allowance, payment, reservedUnits), maxUnits, facts) ?? canPay;
  }
  if (outOfGas !== undefined) return deny('TOKEN_CALL_OUT_OF_GAS', { ...facts, ...asText(outOfGas) });
  if (early !== undefined) return early;
  holdings.allowance -= prefundUnits;
  holdings.balance -= prefundUnits;
  const before = holdings.balance;
  if (decoding.outcome === 'decoded') for (const call of decoding.calls) applyCall(holdings, call, payment);
  const taken = { ...ifAny('prefundUnits', prefundUnits), prefund: false };
  const late = compare(holdings, maxUnits - prefundUnits, { ...facts, ...taken }, before);
  if (late !== undefined) return late;
  if (isTaken === false && maxUnits > 0n) return refuse(payment, left, { allowance, balance });
  return canPay;
};

const trialOf = ({ token }: Facts, { callGasLimit }: UserOperation): PaymentTrial | undefined => {
  if (token?.isTaken === undefined) return undefined;
  const { isTaken, left, callGasUsed } = token;
  return {
    isTaken,
    left: left && { allowance: BigInt(left.allowance), balance: BigInt(left.balance) },
    outOfGas: callGasUsed === undefined ? undefined : { callGasUsed: BigInt(callGasUsed), callGasLimit },
  };
};

/** The base fee falls by at most an eighth per block. Within 16 blocks it may fall to this fraction. */
const BASE_FEE_MAY_FALL_TO = 8n;

/**
 * The lowest gas price at which the operation can be mined, in wei. The signature fixes the tip, but the base fee may
 * fall until the operation is mined. Without a chain snapshot, neither fees nor balances are checked, so the price may
 * be as high as maxFeePerGas.
 */
const leastGasPrice = ({ chain }: Facts, { maxFeePerGas, maxPriorityFeePerGas }: UserOperation): bigint => {
  if (chain === null) return maxFeePerGas;
  const price = maxPriorityFeePerGas + BigInt(chain.baseFeeWei) / BASE_FEE_MAY_FALL_TO;
  return price < maxFeePerGas ? price : maxFeePerGas;
};

const resultOf = (input: RuleInput, payment: NonNullable<RuleInput['payment']>, reservedUnits: bigint): Result => {
  const { facts, op, decoding, requiredWei } = input;
  const { token, maxUnits, leastUnits, preFund } = payment;
  const { symbol, address } = token;
  const needed = maxUnits(op);
  const gasPriceWei = leastGasPrice(facts, op);
  // A draft's gas may be missing. But a signed operation that costs anything must charge the user at least one unit.
  if (facts.stage === 'final' && leastUnits(op, gasPriceWei) === 0n && requiredWei > 0n) {
    return deny('TOKEN_TOO_COARSE', { symbol, token: address, gasPriceWei: String(gasPriceWei) });
  }
  const holdings = facts.token?.holdings;
  if (holdings === undefined) return skip('TOKEN_NOT_CHECKED', { symbol, token: address });
  if (holdings === null) return deny('TOKEN_UNREADABLE', { symbol, token: address });
  const paid = {
    sender: op.sender,
    spender: facts.contract.address,
    token,
    decoding,
    maxUnits: needed,
    prefundUnits: preFund(op) ?? 0n,
    trial: trialOf(facts, op),
  };
  const held = { allowance: BigInt(holdings.allowance), balance: BigInt(holdings.balance) };
  return checkTokenPayment(paid, held, reservedUnits);
};

/**
 * The user's payment in tokens (behaviour 7.4). Tokens are reserved like the balance of a gas tank. Otherwise a user
 * could have many operations signed against the same tokens, and the paymaster would pay for the operations for which
 * no tokens remain.
 */
export const tokenPayment: RuleKind<keyof typeof tokenDenials> = {
  type: 'tokenPayment',
  title: 'Token payment',
  denials: tokenDenials,
  reserve: ({ payment, policy, op }) =>
    payment === undefined
      ? []
      : [
          {
            account: {
              kind: 'user',
              id: [policy.dapp.chainId, addressKey(payment.token.address)].join(':'),
              user: addressKey(op.sender),
            },
            kind: 'tank',
            amount: payment.maxUnits(op),
          },
        ],
  check: (input, [reservedUnits = 0n]) =>
    input.payment === undefined ? [] : [resultOf(input, input.payment, reservedUnits)],
};
