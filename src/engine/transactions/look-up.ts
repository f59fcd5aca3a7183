import { getAddress } from 'ethers';
import { z } from 'zod';
import { type Address, address, sameAddress } from '../../shared/schema/hex.ts';
import { quantity, toQuantity } from '../../shared/schema/quantity.ts';
import { readTransactionCount } from '../chain/gas/eth-call.ts';
import { type RpcClient, RpcError } from '../chain/rpc.ts';
import type { OperatorTransaction } from '../store/operator-transaction-store.ts';
import { callObject, failureWords } from './simulate.ts';

const receiptSchema = z.object({
  status: quantity,
  blockNumber: quantity,
  gasUsed: quantity,
  effectiveGasPrice: quantity.default(0n),
  /** What rollups of the OP stack take besides. */
  l1Fee: quantity.default(0n),
  contractAddress: address.nullish(),
});

const sentSchema = z.object({
  from: address,
  to: address.nullable(),
  value: quantity,
  input: z.string(),
});

/** A nonce must have been taken so many blocks ago: nodes that share the work may be a block behind each other. */
const TAKEN_BLOCKS = 3n;

/** What is different from what was drafted; for what a wallet sent itself. */
const differences = async (rpc: RpcClient, drafted: OperatorTransaction): Promise<string[]> => {
  const { data: sent } = sentSchema.safeParse(await rpc.send('eth_getTransactionByHash', [drafted.hash]));
  if (sent === undefined) return [];
  const same = (a: Address | null, b: Address | null) => (a === null || b === null ? a === b : sameAddress(a, b));
  return [
    ...(same(sent.from, drafted.from) ? [] : ['sender']),
    ...(same(sent.to, drafted.to) ? [] : ['receiver']),
    ...(sent.value === BigInt(drafted.valueWei) ? [] : ['amount']),
    ...(sent.input.toLowerCase() === drafted.data.toLowerCase() ? [] : ['data']),
  ];
};

/** Why it reverted, as far as the block it is in tells. */
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

const isTaken = async (rpc: RpcClient, { from, nonce }: OperatorTransaction): Promise<boolean> => {
  if ((await readTransactionCount(rpc, from, 'latest')) <= nonce) return false;
  const head = quantity.parse(await rpc.send('eth_blockNumber', []));
  const then = toQuantity(head > TAKEN_BLOCKS ? head - TAKEN_BLOCKS : 0n);
  return quantity.parse(await rpc.send('eth_getTransactionCount', [from, then])) > BigInt(nonce);
};

/**
 * A sent transaction as it is on chain; undefined while it is not mined and may still be. A mined one has no outcome
 * yet, unless it did not do what it should.
 *
 * @throws EngineError `CHAIN_UNREACHABLE`; RpcError
 */
export const lookUp = async (rpc: RpcClient, sent: OperatorTransaction): Promise<OperatorTransaction | undefined> => {
  const { data: receipt } = receiptSchema.safeParse(await rpc.send('eth_getTransactionReceipt', [sent.hash]));
  if (receipt === undefined) {
    if (!(await isTaken(rpc, sent))) return undefined;
    return { ...sent, state: 'replaced', outcome: `Another transaction of ${sent.from} was mined in its place.` };
  }
  const { status, blockNumber, gasUsed, effectiveGasPrice, l1Fee, contractAddress } = receipt;
  const mined = {
    ...sent,
    blockNumber: Number(blockNumber),
    gasUsed: String(gasUsed),
    feeWei: String(gasUsed * effectiveGasPrice + l1Fee),
  };
  if (status === 0n) {
    const outcome = `It was mined and did nothing: ${await revertWords(rpc, sent, blockNumber)}.`;
    return { ...mined, state: 'reverted', outcome };
  }
  const wrong = sent.raw === null ? await differences(rpc, sent) : [];
  if (wrong.length > 0) {
    const outcome = `The wallet sent another transaction than was drafted: ${wrong.join(', ')} differ.`;
    return { ...mined, state: 'mined', outcome };
  }
  return { ...mined, state: 'mined', contract: contractAddress ? (getAddress(contractAddress) as Address) : null };
};
