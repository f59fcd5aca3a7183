import { Interface, Transaction } from 'ethers';
import { EngineError } from '../../shared/errors.ts';
import { type Address, type Hex, isHex, sameAddress } from '../../shared/schema/hex.ts';
import { toQuantity } from '../../shared/schema/quantity.ts';
import { readBlockGas, readCode, readQuantity, readTransactionCount } from '../chain/gas/eth-call.ts';
import { parseRevert, revertReason } from '../chain/gas/failure.ts';
import { type RpcClient, RpcError, hasReverted, nodeRefusal } from '../chain/rpc.ts';
import type { ActionCall } from './action.ts';
import { type AmountWords, failing } from './action-context.ts';

export type SimulatedCall = Pick<ActionCall, 'chainId' | 'to' | 'valueWei' | 'data'> & { readonly from: Address };

const abi = new Interface([
  'function owner() view returns (address)',
  'error DepositCanNotBeZero()',
  'error InsufficientBalance(uint256 amountRequired, uint256 currentBalance)',
  'error CanNotWithdrawToZeroAddress()',
  'error VerifyingSignerCannotBeZero()',
  'error OwnableUnauthorizedAccount(address account)',
  'error AccessControlUnauthorizedAccount(address account, bytes32 neededRole)',
]);

/** Added to estimates, which are for the current block. Unused gas is not charged. */
export const GAS_HEADROOM_PERCENT = 20n;
/** The highest tip that is believed from a node: 100 gwei, or the base fee if it is higher. */
const MAX_PRIORITY_FEE = 100_000_000_000n;
/** On chains without a base fee, a higher price than 100,000 gwei is considered a mistake. */
const MAX_GAS_PRICE = 100_000_000_000_000n;
/** Used if the node suggests no tip. */
const DEFAULT_PRIORITY_FEE = 1_000_000_000n;

export const failureWords = ({ data = '0x', message }: RpcError): string => {
  const known = parseRevert(abi, data);
  // Every Interface also knows Error and Panic.
  if (known !== undefined && !/^(?:Error|Panic)$/.test(known.name))
    return `${known.name}(${known.values.map(String).join(', ')})`;
  return data === '0x' ? message.slice(0, 200) : revertReason(data);
};

/** A call in the format of `eth_call`. */
export const callObject = ({ from, to, valueWei, data }: Omit<SimulatedCall, 'chainId'>) => ({
  from,
  ...(to !== null && { to }),
  value: toQuantity(valueWei),
  data,
});

/** The contract's owner; undefined if it has none. @throws EngineError `CHAIN_UNREACHABLE` */
export const readOwner = async (rpc: RpcClient, contract: Address): Promise<Address | undefined> => {
  try {
    const answer = await rpc.call(contract, abi.encodeFunctionData('owner') as Hex);
    return abi.decodeFunctionResult('owner', answer)[0] as Address;
  } catch (error) {
    if (error instanceof EngineError) throw error;
    return undefined;
  }
};

/**
 * Who may make the call that the contract refused. Singletons use roles, and do not reveal which accounts have them.
 */
const whoMay = async (rpc: RpcClient, { to, from }: SimulatedCall, reason: string) => {
  if (reason.startsWith('AccessControl')) {
    return { fix: ' Only the owner of the contract may do this; its signers may also be changed by its manager.' };
  }
  const owner = to !== null && reason.startsWith('Ownable') ? await readOwner(rpc, to) : undefined;
  if (owner === undefined || sameAddress(owner, from)) return { fix: '' };
  return { fix: ` Only the owner ${owner} may do this.`, only: owner };
};

const wouldFail = async (rpc: RpcClient, call: SimulatedCall, cause: RpcError): Promise<EngineError> => {
  if (!hasReverted(cause)) return nodeRefusal(call.chainId, cause);
  const reason = failureWords(cause);
  const { fix, ...only } = await whoMay(rpc, call, reason);
  const message = `The contract rejects the transaction: ${reason}.${fix}`;
  return new EngineError('TRANSACTION_WOULD_FAIL', message, { reason, ...only }, { cause });
};

/** Refuses a call with value to an address without code, because the coins would be lost. */
const mustBeContract = async (rpc: RpcClient, to: Address): Promise<void> => {
  if ((await readCode(rpc, to)) !== '0x') return;
  throw failing(`There is no contract at ${to}. If it was deployed, check whether a re-org removed it.`);
};

const mustHold = (from: Address, balanceWei: bigint, requiredWei: bigint, amountOf: AmountWords): void => {
  if (balanceWei >= requiredWei) return;
  const missingWei = requiredWei - balanceWei;
  const required = `you need ${amountOf(requiredWei)} with the fee, ${from} holds ${amountOf(balanceWei)}`;
  const message = `Insufficient balance: ${required}. Add ${amountOf(missingWei)}.`;
  throw failing(message, { missingWei: String(missingWei) });
};

/**
 * Current fees. The maximum is twice the base fee plus the tip, which is sufficient for at least five full blocks.
 * Without a base fee, it is twice the node's gas price.
 */
export const readFees = async (rpc: RpcClient): Promise<{ base: boolean; most: bigint; priority: bigint }> => {
  const { baseFeePerGas } = await readBlockGas(rpc);
  if (baseFeePerGas === 0n) {
    const price = await readQuantity(rpc, 'eth_gasPrice', []);
    if (price > MAX_GAS_PRICE)
      throw failing(`The node suggests ${price} wei per gas, which is implausible. Try another node.`);
    return { base: false, most: price, priority: price };
  }
  const advice = await readQuantity(rpc, 'eth_maxPriorityFeePerGas', []).catch((error: unknown) => {
    if (error instanceof RpcError) return DEFAULT_PRIORITY_FEE;
    throw error;
  });
  const bound = baseFeePerGas > MAX_PRIORITY_FEE ? baseFeePerGas : MAX_PRIORITY_FEE;
  const priority = advice < bound ? advice : bound;
  return { base: true, most: 2n * baseFeePerGas + priority, priority };
};

/**
 * Simulates the call at the latest block, and completes it to an unsigned transaction: of type 2, or of type 0 with a
 * chain id (EIP-155) if the chain has no base fee.
 *
 * @throws EngineError `TRANSACTION_WOULD_FAIL` with the reason and what would help, `CHAIN_UNREACHABLE`; RpcError
 */
export const simulate = async (rpc: RpcClient, call: SimulatedCall, amountOf: AmountWords): Promise<Transaction> => {
  const { chainId, from, to, valueWei, data } = call;
  const balanceWei = await readQuantity(rpc, 'eth_getBalance', [from, 'latest']);
  mustHold(from, balanceWei, valueWei, amountOf);
  if (to !== null) await mustBeContract(rpc, to);
  let estimate: bigint;
  try {
    const answer = await rpc.send('eth_call', [callObject(call), 'latest']);
    if (typeof answer !== 'string' || !isHex(answer)) throw new EngineError('CHAIN_UNREACHABLE');
    estimate = await readQuantity(rpc, 'eth_estimateGas', [callObject(call)]);
  } catch (error) {
    throw error instanceof RpcError ? await wouldFail(rpc, call, error) : error;
  }
  const gasLimit = estimate + (estimate * GAS_HEADROOM_PERCENT) / 100n;
  const [{ base, most, priority }, nonce] = await Promise.all([
    readFees(rpc),
    // The transaction count is far below 2^53.
    readTransactionCount(rpc, from, 'pending').then(Number),
  ]);
  mustHold(from, balanceWei, valueWei + gasLimit * most, amountOf);
  const fees = base ? { type: 2, maxFeePerGas: most, maxPriorityFeePerGas: priority } : { type: 0, gasPrice: most };
  return Transaction.from({ ...fees, chainId, nonce, to, value: valueWei, data, gasLimit });
};
