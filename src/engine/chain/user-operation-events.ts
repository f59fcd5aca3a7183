import { Interface, zeroPadValue } from 'ethers';
import { z } from 'zod';
import { type Address, address, addressKey, hex } from '../../shared/schema/hex.ts';
import { DEDUCTION_AMOUNT_TOPIC, DEDUCTION_TOPICS } from '../../core/paymaster-layouts/tank-deduction.ts';
import type { MinedUserOperation } from '../store/settlement-store.ts';
import { type RpcClient, RpcError } from './rpc.ts';

export interface Block {
  readonly number: number;
  readonly hash: string;
  /** Unix seconds. */
  readonly timestamp: number;
}

/** Selects operations. Without `senders` or `paymasters`, all of them match. */
export interface OperationFilter {
  readonly entryPoints: readonly Address[];
  readonly senders?: readonly Address[];
  readonly paymasters?: readonly Address[];
}

/** This event is the same in EntryPoint v0.6, v0.7 and v0.8. */
const abi = new Interface([
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
]);

/** Length of the event's data in hex: four words, of which the last is `actualGasUsed`. */
const GAS_USED_DIGITS = 64;
const EVENT_DATA_LENGTH = 2 + 4 * GAS_USED_DIGITS;

const EVENT_TOPIC = abi.encodeFilterTopics('UserOperationEvent', [])[0] ?? null;

const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]+$/)
  .transform((digits) => Number(digits))
  .refine(Number.isSafeInteger);
const bytes32 = hex.refine((value) => value.length === 66);
const blockSchema = z.object({ number: quantity, hash: bytes32, timestamp: quantity });
const logSchema = z.object({
  address,
  topics: z.tuple([bytes32, bytes32, bytes32, bytes32]),
  data: hex,
  blockNumber: quantity,
  blockHash: bytes32,
  transactionHash: bytes32,
  logIndex: quantity,
  removed: z.boolean().optional(),
});

const toQuantity = (block: number): string => `0x${block.toString(16)}`;

/**
 * The block with this number, or the latest block.
 *
 * @throws ZodError if the node has no such block or its answer is invalid; whatever `rpc.send` throws
 */
export const readBlock = async (rpc: RpcClient, block: number | 'latest'): Promise<Block> => {
  const tag = block === 'latest' ? block : toQuantity(block);
  return blockSchema.parse(await rpc.send('eth_getBlockByNumber', [tag, false]));
};

/**
 * A block that is older than a time (unix seconds), and at most `within` blocks older than the newest such block. If
 * there is no such block, `lowest` or the first block.
 */
export const blockBefore = async (
  rpc: RpcClient,
  head: Block,
  seconds: number,
  { lowest = 0, within = Infinity }: { lowest?: number; within?: number } = {},
): Promise<Block> => {
  let [block, later] = [head, head];
  for (let back = 16; block.number > lowest && block.timestamp >= seconds; back *= 4) {
    [block, later] = [await readBlock(rpc, Math.max(lowest, head.number - back)), block];
  }
  while (later.number - block.number > within) {
    const middle = await readBlock(rpc, Math.floor((block.number + later.number) / 2));
    if (middle.timestamp < seconds) block = middle;
    else later = middle;
  }
  return block;
};

/** False while the node is catching up with its chain, or if it does not respond. */
export const isSynced = async (rpc: RpcClient): Promise<boolean> => {
  try {
    return (await rpc.send('eth_syncing', [])) === false;
  } catch (error) {
    if (error instanceof RpcError) return false;
    throw error;
  }
};

/** Events in which contracts report the amounts that they took from tanks. Their topics depend on the contract. */
const deductionSchema = logSchema
  .omit({ data: true })
  .extend({ topics: z.array(bytes32).min(DEDUCTION_AMOUNT_TOPIC + 1) });

type EventLog = z.output<typeof logSchema>;
type DeductionLog = z.output<typeof deductionSchema>;

const toMined = (log: EventLog): MinedUserOperation => {
  const event = abi.decodeEventLog('UserOperationEvent', log.data, log.topics);
  return {
    userOpHash: log.topics[1],
    entryPoint: log.address,
    sender: event['sender'] as Address,
    paymaster: event['paymaster'] as Address,
    nonce: event['nonce'] as bigint,
    success: event['success'] as boolean,
    actualGasCost: event['actualGasCost'] as bigint,
    actualGasUsed: event['actualGasUsed'] as bigint,
    blockNumber: log.blockNumber,
    blockHash: log.blockHash,
    transactionHash: log.transactionHash,
  };
};

const topicOf = (one: Address): string => zeroPadValue(addressKey(one), 32);

/**
 * A filter for `eth_getLogs`, without its blocks; undefined if nothing can match, because nodes treat an empty list as
 * "any".
 */
const logFilter = ({ entryPoints, senders, paymasters }: OperationFilter) => {
  if ([entryPoints, senders, paymasters].some((list) => list?.length === 0)) return undefined;
  return {
    address: entryPoints,
    topics: [EVENT_TOPIC, null, senders?.map(topicOf) ?? null, paymasters?.map(topicOf) ?? null],
  };
};

const placeOf = ({ blockHash, transactionHash }: EventLog | DeductionLog, paymaster: Address): string =>
  [blockHash, transactionHash, paymaster].join(' ').toLowerCase();

/**
 * Each operation with the event, if any, in which its contract reports what it took from a tank. That event lies
 * between the previous operation's event and the operation's own. It is the nearest before the operation's own: the
 * previous operation may be missing here, if it has another sender.
 */
const withDeductions = (events: readonly EventLog[], deductions: readonly DeductionLog[]): MinedUserOperation[] => {
  const inOrder = deductions.toSorted((one, other) => one.logIndex - other.logIndex);
  const byPlace = Map.groupBy(inOrder, (log) => placeOf(log, log.address));
  const last = new Map<string, number>();
  return [...events]
    .sort((one, other) => one.blockNumber - other.blockNumber || one.logIndex - other.logIndex)
    .map((log) => {
      const mined = toMined(log);
      const place = placeOf(log, mined.paymaster);
      const after = last.get(place) ?? -1;
      last.set(place, log.logIndex);
      const deduction = byPlace.get(place)?.findLast(({ logIndex }) => logIndex > after && logIndex < log.logIndex);
      return deduction === undefined
        ? mined
        : { ...mined, deductedWei: BigInt(deduction.topics[DEDUCTION_AMOUNT_TOPIC] ?? 0) };
    });
};

const readLogs = async (
  rpc: RpcClient,
  filter: Readonly<Record<string, unknown>>,
  isInRange: (log: { blockNumber: number; blockHash: string }) => boolean,
): Promise<MinedUserOperation[]> => {
  const queryLogs = async <T extends { removed?: boolean | undefined }>(
    schema: z.ZodType<T>,
    query: object,
  ): Promise<T[]> => {
    const logs = z.array(schema).parse(await rpc.send('eth_getLogs', [query]));
    return logs.filter(({ removed }) => removed !== true);
  };
  const events = await queryLogs(logSchema.refine(isInRange), filter);
  if (events.length === 0) return [];
  const paymasters = [...new Set(events.map((log) => toMined(log).paymaster))];
  const query = { ...filter, address: paymasters, topics: [DEDUCTION_TOPICS] };
  return withDeductions(events, await queryLogs(deductionSchema.refine(isInRange), query));
};

const readEvents = async (
  rpc: RpcClient,
  filter: OperationFilter,
  fromBlock: number,
  toBlock: number,
): Promise<MinedUserOperation[]> => {
  const logs = logFilter(filter);
  if (logs === undefined) return [];
  const range = { fromBlock: toQuantity(fromBlock), toBlock: toQuantity(toBlock) };
  return readLogs(rpc, { ...logs, ...range }, ({ blockNumber: block }) => block >= fromBlock && block <= toBlock);
};

/**
 * The operations in a block. The block is named by its hash, so that a node that lacks the block returns an error
 * instead of an empty list.
 *
 * @throws the node's error
 */
export const readOperationsOf = async (
  rpc: RpcClient,
  filter: OperationFilter,
  { hash: blockHash }: Block,
): Promise<MinedUserOperation[]> => {
  const logs = logFilter(filter);
  if (logs === undefined) return [];
  return readLogs(rpc, { ...logs, blockHash }, (log) => log.blockHash.toLowerCase() === blockHash.toLowerCase());
};

/** Gas for which an EntryPoint charged the operations in a transaction. @param logs of the EntryPoint alone */
export const chargedGasIn = (logs: readonly { readonly topics: readonly string[]; readonly data: string }[]): bigint =>
  logs
    .filter(({ topics, data }) => topics[0] === EVENT_TOPIC && data.length === EVENT_DATA_LENGTH)
    .reduce((sum, { data }) => sum + BigInt(`0x${data.slice(-GAS_USED_DIGITS)}`), 0n);

/** The fields that identify an operation on chain. */
export type OperationPlace = Pick<MinedUserOperation, 'entryPoint' | 'sender' | 'nonce' | 'blockNumber'>;

/** The operation with this sender and nonce in a block; undefined if the block has none. @throws the node's error */
export const findMined = async (
  rpc: RpcClient,
  { entryPoint, sender, nonce, blockNumber }: OperationPlace,
): Promise<MinedUserOperation | undefined> => {
  const block = toQuantity(blockNumber);
  const topics = [EVENT_TOPIC, null, zeroPadValue(addressKey(sender), 32)];
  const filter = { address: entryPoint, fromBlock: block, toBlock: block, topics };
  const logs = z.array(logSchema).parse(await rpc.send('eth_getLogs', [filter]));
  return logs.map(toMined).find((mined) => mined.nonce === nonce);
};

/** Reads operations from `fromBlock` to `lastBlock` at most, as far as the node allows in one request. */
export type OperationReader = (
  rpc: RpcClient,
  filter: OperationFilter,
  fromBlock: number,
  lastBlock: number,
) => Promise<{ mined: MinedUserOperation[]; toBlock: number }>;

/**
 * A reader that finds out how many blocks the node allows in one request. Every provider has its own limits (on blocks,
 * results, time) and its own messages for them. After a refusal it requests half as many blocks, after an answer a
 * quarter more. It throws the node's error if a single block is refused, and errors that are not from the node.
 */
export const createOperationReader = (maxBlocks: number): OperationReader => {
  let blocks = maxBlocks;
  return async (rpc, filter, fromBlock, lastBlock) => {
    for (;;) {
      const toBlock = Math.min(fromBlock + blocks - 1, lastBlock);
      try {
        const mined = await readEvents(rpc, filter, fromBlock, toBlock);
        blocks = Math.min(maxBlocks, blocks + Math.ceil(blocks / 4));
        return { mined, toBlock };
      } catch (error) {
        const span = toBlock - fromBlock + 1;
        blocks = Math.ceil(span / 2);
        // The range may also be the cause of a timeout, but an immediate retry does not help a node that is down.
        if (span === 1 || !(error instanceof RpcError)) throw error;
      }
    }
  };
};
