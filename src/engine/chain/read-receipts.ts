import { z } from 'zod';
import { entryPointAt } from '../../core/entry-points/registry.ts';
import { address, hex } from '../../shared/schema/hex.ts';
import { quantity } from '../../shared/schema/quantity.ts';
import type { Clock } from '../base/clock.ts';
import type { Store } from '../store/store.ts';
import type { OperationWithoutReceipt, ReadReceipt } from '../store/cost-store.ts';
import type { Rates } from './rates/rates.ts';
import { type RpcClient, RpcError } from './rpc.ts';
import { chargedGasIn } from './user-operation-events.ts';

export interface ReceiptReaderOptions {
  readonly store: Pick<Store, 'operationsWithoutReceipt' | 'saveReceipts' | 'findChain'>;
  readonly clock: Clock;
  readonly rates: Pick<Rates, 'coinPrice'>;
}

/** Transactions per call, so that settlement need not wait long. */
const MOST_AT_ONCE = 50;
/** When a receipt that the node does not have is requested again, ms. */
const AGAIN_MS = 600_000;

const receiptSchema = z.object({
  blockHash: hex,
  from: address,
  gasUsed: quantity,
  /** What a layer 2 charges for the data, in wei (OP Stack). */
  l1Fee: quantity.nullish(),
  logs: z.array(z.object({ address, topics: z.array(hex), data: hex })),
});
const blockSchema = z.object({ baseFeePerGas: quantity.nullish() });

/** The node's answer; undefined if it has none or a useless one. @throws RpcError if the node does not answer */
const answered = async <T>(rpc: RpcClient, method: string, params: unknown[], schema: z.ZodType<T>) => {
  const { data } = schema.safeParse(await rpc.send(method, params));
  return data;
};

/**
 * Returns a function that reads the receipts of a chain's newest settled operations, some at a time, so that costs can
 * be split. Does nothing while the node does not answer.
 */
export const createReceiptReader = ({ store, clock, rates }: ReceiptReaderOptions) => {
  /** Transactions without a receipt, and when to ask again (monotonic ms). */
  const missing = new Map<string, number>();

  /** US dollars for one coin, decimal; null if unknown. */
  const coinUsd = async (chainId: number): Promise<string | null> => {
    const source = (await store.findChain(chainId))?.price ?? null;
    return source === null ? null : (await rates.coinPrice(chainId, source)).usd;
  };

  const readOne = async (
    rpc: RpcClient,
    operations: readonly OperationWithoutReceipt[],
    price: string | null,
  ): Promise<ReadReceipt[] | undefined> => {
    const [{ transactionHash, blockHash }] = operations as [OperationWithoutReceipt];
    const [receipt, block] = await Promise.all([
      answered(rpc, 'eth_getTransactionReceipt', [transactionHash], receiptSchema),
      answered(rpc, 'eth_getBlockByHash', [blockHash, false], blockSchema),
    ]);
    if (receipt === undefined || block === undefined) return undefined;
    const chargedGas = chargedGasIn(receipt.logs.filter((log) => entryPointAt(log.address) !== undefined));
    const { gasUsed, l1Fee, from: bundler } = receipt;
    const bundle = { gasUsed, chargedGas, baseFeeWei: block.baseFeePerGas ?? 0n, l1FeeWei: l1Fee ?? 0n };
    return operations.map(({ seq }) => ({ seq, blockHash: receipt.blockHash, bundler, bundle, coinUsd: price }));
  };

  return async (chainId: number, rpc: RpcClient): Promise<void> => {
    const now = clock.monotonic();
    for (const [hash, again] of missing) if (again <= now) missing.delete(hash);
    const found = await store.operationsWithoutReceipt(chainId, MOST_AT_ONCE + missing.size);
    const open = found.filter(({ transactionHash }) => !missing.has(transactionHash)).slice(0, MOST_AT_ONCE);
    if (open.length === 0) return;
    const price = await coinUsd(chainId);
    const receipts: ReadReceipt[] = [];
    try {
      for (const [hash, operations] of Map.groupBy(open, ({ transactionHash }) => transactionHash)) {
        const read = await readOne(rpc, operations, price);
        if (read === undefined) missing.set(hash, now + AGAIN_MS);
        else receipts.push(...read);
      }
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
    } finally {
      if (receipts.length > 0) await store.saveReceipts(receipts);
    }
  };
};
