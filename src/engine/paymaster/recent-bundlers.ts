import { z } from 'zod';
import { type Address, address, addressKey } from '../../shared/schema/hex.ts';
import type { RpcClient } from '../chain/rpc.ts';
import { createOperationReader, readBlock } from '../chain/user-operation-events.ts';

/** Blocks that are read. */
const BLOCKS = 2_000;
/** Transactions whose sender is read: the newest. Older ones are left out. */
const MAX_TRANSACTIONS = 50;

export interface RecentBundlers {
  readonly fromBlock: number;
  /** Most operations first. */
  readonly bundlers: readonly { readonly bundler: Address; readonly operations: number; readonly lastBlock: number }[];
}

const transaction = z.object({ from: address });

/**
 * Who has included a paymaster's operations in the newest blocks.
 *
 * @throws the node's error; ZodError if an answer is invalid
 */
export const recentBundlers = async (
  rpc: RpcClient,
  { entryPoint, paymaster }: { entryPoint: Address; paymaster: Address },
): Promise<RecentBundlers> => {
  const head = await readBlock(rpc, 'latest');
  const fromBlock = Math.max(0, head.number - BLOCKS + 1);
  const read = createOperationReader(BLOCKS);
  const filter = { entryPoints: [entryPoint], paymasters: [paymaster] };
  const mined = [];
  for (let next = fromBlock; next <= head.number;) {
    const answer = await read(rpc, filter, next, head.number);
    mined.push(...answer.mined);
    next = answer.toBlock + 1;
  }
  const byTransaction = [...Map.groupBy(mined, ({ transactionHash }) => transactionHash)].slice(-MAX_TRANSACTIONS);
  const senders = await Promise.all(
    byTransaction.map(async ([hash, operations]) => {
      const { from } = transaction.parse(await rpc.send('eth_getTransactionByHash', [hash]));
      return { bundler: addressKey(from), operations };
    }),
  );
  const bundlers = [...Map.groupBy(senders, ({ bundler }) => bundler)].map(([bundler, sent]) => {
    const operations = sent.flatMap((one) => one.operations);
    return { bundler, operations: operations.length, lastBlock: Math.max(...operations.map((one) => one.blockNumber)) };
  });
  return { fromBlock, bundlers: bundlers.sort((one, other) => other.operations - one.operations) };
};
