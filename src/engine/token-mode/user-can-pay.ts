import type { Evidence } from '../../shared/denials.ts';
import { EngineError } from '../../shared/errors.ts';
import type { FeeToken } from '../../shared/schema/fee-token.ts';
import { type Address, sameAddress } from '../../shared/schema/hex.ts';
import type { DecodedCall, Decoding } from '../calls/decode-calls.ts';
import { type RpcClient, RpcError, nodeRefusal } from '../chain/rpc.ts';
import { type Verdict, deny, pass, skip } from '../rules/rule.ts';
import { readToken, readTokenCall } from './erc20.ts';

/** A payment that a paymaster is about to rely on. */
export interface Payment {
  readonly chainId: number;
  /** The account that pays. */
  readonly sender: Address;
  /** The paymaster contract, which takes the tokens. */
  readonly spender: Address;
  readonly token: FeeToken;
  /** Who receives the tokens. */
  readonly treasury: Address;
  /** Smallest units the user can be charged at most. */
  readonly maxUnits: bigint;
  /** Units that are taken before the operation runs, and who gives back what is left. */
  readonly upFront?: { readonly units: bigint };
  /** The operation's calls, decoded. */
  readonly decoding: Decoding;
  /** False: it was tried, and the tokens were not taken. */
  readonly taken: boolean | undefined;
}

/** The verdict, when so many units are promised by operations that are signed and not yet mined. */
export type PaymentVerdict = (promisedUnits: bigint) => Verdict;

/** What there is to take from. */
interface Purse {
  allowance: bigint;
  balance: bigint;
}

const less = (held: bigint, taken: bigint): bigint => (held > taken ? held - taken : 0n);

/** What a call of the sender's own batch does to the purse. Only what the token's own functions say is seen. */
const applyCall = (purse: Purse, call: DecodedCall, { sender, spender, token }: Payment): void => {
  if (call.operation !== 'call' || !sameAddress(call.target, token.address)) return;
  const made = readTokenCall(call.data);
  if (made?.change === 'allowance' && sameAddress(made.spender, spender)) purse.allowance = made.after(purse.allowance);
  if (made?.change === 'balance' && sameAddress(made.from ?? sender, sender) && !sameAddress(made.to, sender)) {
    purse.balance = less(purse.balance, made.units);
  }
};

const readUnits = async (rpc: RpcClient, token: Address, reading: 'balanceOf' | 'allowance', of: Address[]) => {
  const answer = await readToken(rpc, token, reading, ...of);
  return 'value' in answer ? (answer.value as bigint) : undefined;
};

/** Nothing may be taken up front that could not be given back: the rest of it would be lost to the user. */
const requireRefundable = async (rpc: RpcClient, { upFront, token, spender, treasury }: Payment): Promise<void> => {
  if (upFront === undefined) return;
  const { units } = upFront;
  const allowed = await readUnits(rpc, token.address, 'allowance', [treasury, spender]);
  if (allowed !== undefined && allowed >= units) return;
  const fix = `Approve ${spender} on the token ${token.address} from the treasury, or set the token without --pre-fund.`;
  const message = `The treasury ${treasury} has not approved the paymaster to give back ${token.symbol} that was taken up front.`;
  throw new EngineError('PAYMASTER_NOT_READY', `${message} ${fix}`, { missing: 'treasuryAllowance', fix });
};

/**
 * What is short, if anything is.
 *
 * @param before the balance before the calls of the operation itself, where they come first
 */
const compare = (purse: Purse, neededUnits: bigint, facts: Evidence, before = purse.balance): Verdict | undefined => {
  const short = (code: 'TOKEN_ALLOWANCE_SHORT' | 'TOKEN_BALANCE_SHORT', heldUnits: bigint): Verdict =>
    deny(code, {
      ...facts,
      ...(code === 'TOKEN_BALANCE_SHORT' && before !== purse.balance && { beforeUnits: String(before) }),
      neededUnits: String(neededUnits),
      heldUnits: String(heldUnits),
      missingUnits: String(neededUnits - heldUnits),
    });
  if (purse.allowance < neededUnits) return short('TOKEN_ALLOWANCE_SHORT', purse.allowance);
  if (purse.balance < neededUnits) return short('TOKEN_BALANCE_SHORT', purse.balance);
  return undefined;
};

const look = async (rpc: RpcClient, payment: Payment): Promise<PaymentVerdict> => {
  const { sender, spender, token, maxUnits, upFront, decoding, taken } = payment;
  const [allowance, balance] = await Promise.all([
    readUnits(rpc, token.address, 'allowance', [sender, spender]),
    readUnits(rpc, token.address, 'balanceOf', [sender]),
    requireRefundable(rpc, payment),
  ]);
  const { symbol, decimals, address } = token;
  if (allowance === undefined || balance === undefined) {
    return () => deny('TOKEN_UNREADABLE', { symbol, token: address });
  }
  return (promisedUnits) => {
    const purse: Purse = { allowance: less(allowance, promisedUnits), balance: less(balance, promisedUnits) };
    const facts = { symbol, decimals, token: address, sender, spender, promisedUnits: String(promisedUnits) };

    // What is taken before the batch runs cannot be approved in the batch.
    const first = upFront?.units ?? 0n;
    const early = compare(purse, first, { ...facts, upFront: true });
    if (early !== undefined) return early;
    purse.allowance -= first;
    purse.balance -= first;
    const before = purse.balance;
    if (decoding.outcome === 'decoded') for (const call of decoding.calls) applyCall(purse, call, payment);
    const late = compare(purse, maxUnits - first, { ...facts, upFront: false }, before);
    if (late !== undefined) return late;
    if (taken === false && maxUnits > 0n) return deny('TOKEN_TRANSFER_REFUSED', { symbol, token: address, sender });
    return pass('USER_CAN_PAY', { ...facts, neededUnits: String(maxUnits), balanceUnits: String(balance) });
  };
};

/**
 * Looks whether the user can pay what he may be charged: allowance, or an approval in the operation's own batch, and
 * balance, less what the batch itself sends away. A swap or a call through another contract that empties the account
 * is not seen; only taking the fee up front protects from that.
 *
 * @returns the verdict, given what the user's other signed operations may take yet: it is missing here too
 * @param rpc undefined where the chain has no RPC URL: then nothing is looked at, and the verdict is a skip
 * @throws EngineError `CHAIN_UNREACHABLE`, also where the node refuses, for the contracts do not look themselves;
 *   `PAYMASTER_NOT_READY` if what is taken up front could not be given back
 */
export const checkUserCanPay = async (rpc: RpcClient | undefined, payment: Payment): Promise<PaymentVerdict> => {
  const { symbol, address } = payment.token;
  if (rpc === undefined) return () => skip('TOKEN_NOT_CHECKED', { symbol, token: address });
  try {
    return await look(rpc, payment);
  } catch (error) {
    throw error instanceof RpcError ? nodeRefusal(payment.chainId, error) : error;
  }
};
