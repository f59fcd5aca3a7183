import { type Address, addressKey, sameAddress } from '../../shared/schema/hex.ts';
import type { Evidence } from '../../shared/denials.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import type { DecodedCall, Decoding } from '../calls/decoding.ts';
import type { Facts } from '../facts.ts';
import type { PaymentToken } from '../token-mode/payment-terms.ts';
import { tokenDenials } from '../token-mode/token-denials.ts';
import { readTokenCall } from '../token-mode/token-call.ts';
import { type CheckResult, type RuleInput, type RuleKind, deny, pass, skip } from './rule.ts';

type Result = CheckResult<keyof typeof tokenDenials>;

/** A payment that a paymaster is about to rely on. Units are the token's smallest. */
export interface Payment {
  /** The account that pays. */
  readonly sender: Address;
  /** The paymaster contract, which takes the tokens. */
  readonly spender: Address;
  readonly token: PaymentToken;
  /** What the user can be charged at most. */
  readonly maxUnits: bigint;
  /** What is taken before the operation runs. */
  readonly prefundUnits: bigint;
  readonly decoding: Decoding;
  /** What came of trying it; undefined where nobody could. */
  readonly trial: PaymentTrial | undefined;
}

/** What came of trying a payment. */
export interface PaymentTrial {
  readonly isTaken: boolean;
  /** What there is to take from after it. Facts of before it was looked at have none. */
  readonly left?: Readonly<Holdings> | undefined;
  /** With enough gas the operation's call uses so much, and the tokens are taken; absent: gas is not what is amiss. */
  readonly outOfGas?: { readonly callGasUsed: bigint; readonly callGasLimit: bigint } | undefined;
}

/** What there is to take from. */
interface Holdings {
  allowance: bigint;
  /** Below zero where others take more than there is: a user needs that much besides. */
  balance: bigint;
}

const atLeastNone = (units: bigint): bigint => (units > 0n ? units : 0n);
const less = (held: bigint, taken: bigint): bigint => atLeastNone(held - taken);

/** What a call of the sender's own batch does to the holdings. Only what the token's own functions say is seen. */
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

/**
 * What is short, if anything is.
 *
 * @param before the balance before the calls of the operation itself, where they come first
 */
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
 * What an operation that was tried finds to pay with besides what is reserved for others. An allowance that it made
 * itself, in its calls or while it deployed, is its own: those before it make theirs, or have used up the old one.
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

const asText = ({ callGasUsed, callGasLimit }: NonNullable<PaymentTrial['outOfGas']>): Evidence => ({
  ...{ callGasUsed: String(callGasUsed), callGasLimit: String(callGasLimit) },
});

const ifAny = (key: string, units: bigint): Evidence => (units > 0n ? { [key]: String(units) } : {});

/**
 * Whether users can pay what they may be charged. What was tried is believed, as far as others do not need the same
 * tokens. Where it failed, or nobody has looked, what the operation says tells what is short: allowance, or an approval
 * in its own batch, and balance, less what the batch itself sends away.
 *
 * @param reservedUnits what the user's other signed operations may take yet
 */
export const checkTokenPayment = (
  payment: Payment,
  { allowance, balance }: Holdings,
  reservedUnits: bigint,
): Result => {
  const { sender, spender, token, maxUnits, prefundUnits, decoding, trial } = payment;
  const { symbol, decimals, address } = token;
  const holdings: Holdings = { allowance: less(allowance, reservedUnits), balance: balance - reservedUnits };
  const facts = { symbol, decimals, token: address, sender, spender, reservedUnits: String(reservedUnits) };
  const canPay = pass('USER_CAN_PAY', { ...facts, neededUnits: String(maxUnits), balanceUnits: String(balance) });
  // What is taken before the batch runs cannot be approved in the batch.
  const after = { ...ifAny('afterUnits', maxUnits - prefundUnits), prefund: true };
  const early = compare(holdings, prefundUnits, { ...facts, ...after });
  if (trial?.left !== undefined) {
    // It was there when it was tried, and others may take it first.
    const first = reservedUnits > 0n ? early : undefined;
    return first ?? compare(besidesReserved(trial.left, allowance, payment, reservedUnits), maxUnits, facts) ?? canPay;
  }
  if (trial?.outOfGas !== undefined) return deny('TOKEN_CALL_OUT_OF_GAS', { ...facts, ...asText(trial.outOfGas) });
  if (early !== undefined) return early;
  holdings.allowance -= prefundUnits;
  holdings.balance -= prefundUnits;
  const before = holdings.balance;
  if (decoding.outcome === 'decoded') for (const call of decoding.calls) applyCall(holdings, call, payment);
  const taken = { ...ifAny('prefundUnits', prefundUnits), prefund: false };
  const late = compare(holdings, maxUnits - prefundUnits, { ...facts, ...taken }, before);
  if (late !== undefined) return late;
  if (trial?.isTaken === false && maxUnits > 0n) {
    return deny('TOKEN_TRANSFER_REFUSED', { symbol, token: address, sender });
  }
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

/** The base fee falls by an eighth a block at most: to this part of it in 16 blocks. */
const BASE_FEE_MAY_FALL_TO = 8n;

/**
 * The least that the operation can be mined at, wei. The tip is signed; the base fee is the chain's, and may have fallen
 * by then. Where no node tells it, neither fees nor holdings are checked, and it may be as high as it may get.
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
  // Gas may be open in a draft; what is signed and costs something has to be paid for.
  if (facts.stage === 'final' && leastUnits(op, gasPriceWei) === 0n && requiredWei > 0n) {
    return deny('TOKEN_TOO_COARSE', { symbol, token: address, gasPriceWei: String(gasPriceWei) });
  }
  const holdings = facts.token?.holdings;
  if (holdings === undefined) return skip('TOKEN_NOT_CHECKED', { symbol, token: address });
  if (holdings === null) return deny('TOKEN_UNREADABLE', { symbol, token: address });
  const paid = {
    ...{ sender: op.sender, spender: facts.contract.address, token, decoding },
    ...{ maxUnits: needed, prefundUnits: preFund(op) ?? 0n, trial: trialOf(facts, op) },
  };
  const held = { allowance: BigInt(holdings.allowance), balance: BigInt(holdings.balance) };
  return checkTokenPayment(paid, held, reservedUnits);
};

/**
 * What the user pays with (behaviour 7.4). The tokens are reserved as a tank is: else users could have many operations signed
 * on the same ones, and without tokens the paymaster pays.
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
