import { getAddress } from 'ethers';
import { z } from 'zod';
import { EngineError } from '../../shared/errors.ts';
import { type Address, type Hex, address, sameAddress } from '../../shared/schema/hex.ts';
import { quantity, toQuantity } from '../../shared/schema/quantity.ts';
import { REORG_BLOCKS } from '../chain/reorg-depth.ts';
import { readQuantity, readTransactionCount } from '../chain/gas/eth-call.ts';
import { type RpcClient, RpcError } from '../chain/rpc.ts';
import type { OperatorTransaction } from '../store/operator-transaction-store.ts';
import type { AmountWords } from './action-context.ts';
import { callObject, failureWords } from './simulate.ts';

const receiptSchema = z.object({
  status: quantity,
  blockNumber: quantity,
  gasUsed: quantity,
  effectiveGasPrice: quantity.default(0n),
  /** Additional layer 1 fee of OP-stack rollups. */
  l1Fee: quantity.nullish(),
  contractAddress: address.nullish(),
});

const sentSchema = z.object({ from: address, to: address.nullable(), value: quantity, input: z.string() });

const DEPTH = BigInt(REORG_BLOCKS);

/** A node's answer about a hash; undefined if the node does not know the hash. Throws for an invalid answer. */
const known = async <T>(rpc: RpcClient, method: string, hash: Hex, schema: z.ZodType<T>): Promise<T | undefined> => {
  const answer = await rpc.send(method, [hash]);
  if (answer === null || answer === undefined) return undefined;
  const { success, data } = schema.safeParse(answer);
  if (success) return data;
  throw new EngineError('CHAIN_UNREACHABLE', `The node returned an unreadable answer to ${method}`);
};

/**
 * Whether a node knows a transaction, mined or not.
 *
 * @throws EngineError `CHAIN_UNREACHABLE`; RpcError
 */
export const isKnown = async (rpc: RpcClient, hash: Hex): Promise<boolean> =>
  (await known(rpc, 'eth_getTransactionByHash', hash, z.unknown())) !== undefined;

/** How a transaction that a wallet sent differs from its draft, and what it does instead; undefined if they match. */
const differenceWords = async (
  rpc: RpcClient,
  drafted: OperatorTransaction,
  amountOf: AmountWords,
): Promise<string | undefined> => {
  const sent = await known(rpc, 'eth_getTransactionByHash', drafted.hash, sentSchema);
  if (sent === undefined) return undefined;
  const same = (a: Address | null, b: Address | null) => (a === null || b === null ? a === b : sameAddress(a, b));
  const different = [
    ...(same(sent.from, drafted.from) ? [] : ['sender']),
    ...(same(sent.to, drafted.to) ? [] : ['receiver']),
    ...(sent.value === BigInt(drafted.valueWei) ? [] : ['amount']),
    ...(sent.input.toLowerCase() === drafted.data.toLowerCase() ? [] : ['data']),
  ];
  if (different.length === 0) return undefined;
  const instead = `It sends ${amountOf(sent.value)} to ${sent.to ?? 'a new contract'}.`;
  return `The wallet sent a transaction that differs from the draft: ${different.join(', ')}. ${instead}`;
};

const revertWords = async (rpc: RpcClient, one: OperatorTransaction, block: bigint): Promise<string> => {
  const call = callObject({ from: one.from, to: one.to, valueWei: BigInt(one.valueWei), data: one.data });
  try {
    await rpc.send('eth_call', [call, toQuantity(block)]);
  } catch (error) {
    if (error instanceof RpcError) return failureWords(error);
    throw error;
  }
  return 'it would succeed now';
};

const readHead = (rpc: RpcClient): Promise<bigint> => readQuantity(rpc, 'eth_blockNumber', []);

/**
 * True if another transaction has used the nonce, and no re-org is expected to undo that. A transaction that the node
 * knows is not replaced, whatever its nonce, because wallets choose the nonce themselves.
 */
const isReplaced = async (rpc: RpcClient, { from, nonce, hash }: OperatorTransaction): Promise<boolean> => {
  if ((await readTransactionCount(rpc, from, 'latest')) <= nonce) return false;
  const head = await readHead(rpc);
  const then = toQuantity(head > DEPTH ? head - DEPTH : 0n);
  if ((await readTransactionCount(rpc, from, then)) <= nonce) return false;
  return !(await isKnown(rpc, hash));
};

const placeOf = ({ blockNumber, gasUsed, effectiveGasPrice, l1Fee }: z.infer<typeof receiptSchema>) => ({
  blockNumber: Number(blockNumber),
  gasUsed: String(gasUsed),
  feeWei: String(gasUsed * effectiveGasPrice + (l1Fee ?? 0n)),
});

/**
 * The current on-chain state of a sent transaction; undefined while it is not mined but may still be. A mined
 * transaction has no outcome yet, unless it did not achieve its purpose.
 *
 * @throws EngineError `CHAIN_UNREACHABLE`; RpcError
 */
export const findTransaction = async (
  rpc: RpcClient,
  sent: OperatorTransaction,
  amountOf: AmountWords,
): Promise<OperatorTransaction | undefined> => {
  const receipt = await known(rpc, 'eth_getTransactionReceipt', sent.hash, receiptSchema);
  if (receipt === undefined) {
    if (!(await isReplaced(rpc, sent))) return undefined;
    return {
      ...sent,
      state: 'replaced',
      final: true,
      outcome: `Another transaction of ${sent.from} with the same nonce was mined instead.`,
    };
  }
  const { status, blockNumber, contractAddress } = receipt;
  const mined = { ...sent, ...placeOf(receipt) };
  if (status === 0n) {
    const outcome = `Mined, but it reverted: ${await revertWords(rpc, sent, blockNumber)}.`;
    return { ...mined, state: 'reverted', outcome };
  }
  const outcome = sent.raw === null ? await differenceWords(rpc, sent, amountOf) : undefined;
  if (outcome !== undefined) return { ...mined, state: 'different', outcome };
  return { ...mined, state: 'mined', contract: contractAddress ? (getAddress(contractAddress) as Address) : null };
};

/**
 * Rechecks a mined transaction after a possible re-org. The result may be unchanged, final, or in another block. If a
 * re-org dropped the transaction or changed its result, it is again in the state that it had before it was mined.
 *
 * @returns `mined` itself if nothing has changed
 * @throws EngineError `CHAIN_UNREACHABLE`; RpcError
 */
export const confirmAgain = async (rpc: RpcClient, mined: OperatorTransaction): Promise<OperatorTransaction> => {
  const head = await readHead(rpc);
  const receipt = await known(rpc, 'eth_getTransactionReceipt', mined.hash, receiptSchema);
  const block = BigInt(mined.blockNumber ?? 0);
  if (receipt?.blockNumber === block) return head - block < DEPTH ? mined : { ...mined, final: true };
  // A node that is behind does not know the transaction yet.
  if (receipt === undefined && head < block) return mined;
  // Its effects were applied when it was first mined, and must not be applied again.
  if (receipt !== undefined && (receipt.status === 0n) === (mined.state === 'reverted')) {
    return { ...mined, ...placeOf(receipt) };
  }
  const unmined = { blockNumber: null, gasUsed: null, feeWei: null, contract: null, outcome: null };
  return { ...mined, state: 'sent', ...unmined };
};
