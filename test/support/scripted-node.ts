import { Interface, ZeroAddress, id, toBeHex, zeroPadValue } from 'ethers';
import { type RpcClient, RpcError } from '../../src/engine/chain/rpc.ts';
import { type Address, type Hex, sameAddress } from '../../src/shared/schema/hex.ts';

const abi = new Interface([
  'function getNonce(address sender, uint192 key) view returns (uint256)',
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
]);

type LogFilter = { fromBlock: Hex; toBlock: Hex } | { blockHash: Hex };

/** The operation that an event reports. */
interface Slot {
  readonly entryPoint?: Address;
  readonly sender?: Address;
  readonly nonce?: bigint;
}

/** A node without a network: blocks are made up, and answers can be overruled. */
export class ScriptedNode implements RpcClient {
  readonly url = 'http://127.0.0.1:1';
  readonly asked: { method: string; params: readonly unknown[] }[] = [];
  /** Most requests that were in flight at once. */
  mostAtOnce = 0;
  /** Answers or throws instead of the node if it does not return undefined. */
  overrule: (method: string, params: readonly unknown[]) => unknown = () => undefined;
  readonly #blocks: { timestamp: number; branch: number }[] = [];
  #logs: { blockNumber: Hex; blockHash: string; sender: Address; nonce: bigint }[] = [];
  #branch = 1;
  #atOnce = 0;

  constructor(blocks: number, timestamp: number) {
    this.grow(blocks, timestamp - blocks);
  }

  readonly call = async (): Promise<Hex> => '0x';

  /** Adds blocks, one second apart, the first one second after `timestamp`. */
  grow(blocks: number, timestamp = this.#blocks.at(-1)?.timestamp ?? 0): void {
    for (let nth = 1; nth <= blocks; nth += 1) this.#blocks.push({ timestamp: timestamp + nth, branch: this.#branch });
  }

  /** Removes the newest blocks; the blocks that follow differ from them. */
  takeBack(blocks: number): void {
    this.#blocks.length -= blocks;
    this.#logs = this.#logs.filter(({ blockNumber }) => Number(blockNumber) <= this.head);
    this.#branch += 1;
  }

  get head(): number {
    return this.#blocks.length - 1;
  }

  /** Unix seconds. */
  timeOf(block: number): number {
    return this.#blocks[block]?.timestamp ?? Number.NaN;
  }

  logsOf(fromBlock: number, toBlock: number): readonly { readonly blockNumber: Hex }[] {
    return this.#logs.filter(({ blockNumber }) => Number(blockNumber) >= fromBlock && Number(blockNumber) <= toBlock);
  }

  mine(
    userOpHash: Hex,
    paymaster: Address,
    cost: bigint,
    block: number,
    { entryPoint = ZeroAddress as Address, sender = ZeroAddress as Address, nonce = 0n }: Slot = {},
  ): void {
    const log = abi.encodeEventLog('UserOperationEvent', [userOpHash, sender, paymaster, nonce, true, cost, 1n]);
    const place = {
      logIndex: toBeHex(this.#logs.length),
      address: entryPoint,
      transactionHash: id(`transaction ${userOpHash}`),
      blockHash: this.#hash(block),
    };
    this.#logs.push({ ...log, ...place, blockNumber: toBeHex(block) as Hex, sender, nonce });
  }

  async send(method: string, params: readonly unknown[]): Promise<unknown> {
    this.asked.push({ method, params });
    this.#atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#atOnce);
    try {
      const instead: unknown = await this.overrule(method, params);
      return instead === undefined ? this.#answer(method, params) : instead;
    } finally {
      this.#atOnce -= 1;
    }
  }

  /** Number of blocks in each request for operations, in order. */
  get ranges(): number[] {
    const ofOperations = this.asked.filter(({ method, params }) => method === 'eth_getLogs' && !isOfTanks(params));
    return ofOperations.map(({ params }) => blocksOf(params));
  }

  #answer(method: string, params: readonly unknown[]): unknown {
    const [first] = params;
    if (method === 'eth_syncing') return false;
    if (method === 'eth_getTransactionByHash') return { input: '0x' };
    if (method === 'eth_call') {
      const [{ data }, { blockHash }] = params as [{ data: Hex }, { blockHash: Hex }];
      const [sender, key] = abi.decodeFunctionData('getNonce', data) as unknown as [Address, bigint];
      const through = this.blockWith(blockHash);
      const used = this.#logs.filter(
        (log) => sameAddress(log.sender, sender) && log.nonce >> 64n === key && Number(log.blockNumber) <= through,
      );
      return toBeHex(
        used.reduce((next, { nonce }) => (nonce >= next ? nonce + 1n : next), key << 64n),
        32,
      );
    }
    if (method === 'eth_getLogs') {
      if (isOfTanks(params)) return [];
      const filter = first as LogFilter;
      if ('blockHash' in filter) {
        const block = this.blockWith(filter.blockHash);
        return this.#logs.filter(({ blockNumber }) => Number(blockNumber) === block);
      }
      return this.logsOf(Number(filter.fromBlock), Number(filter.toBlock));
    }
    const number = first === 'latest' ? this.head : Number(first);
    const block = this.#blocks[number];
    if (block === undefined) return null;
    return { number: toBeHex(number), hash: this.#hash(number), timestamp: toBeHex(block.timestamp) };
  }

  /** The number of the block with a hash. @throws RpcError if no such block exists */
  blockWith(hash: string): number {
    const found = this.#blocks.findIndex((_, block) => this.#hash(block) === hash);
    if (found < 0) throw new RpcError(-32001, 'header for hash not found', undefined);
    return found;
  }

  #hash(block: number): string {
    return zeroPadValue(toBeHex((this.#blocks[block]?.branch ?? 0) * 2 ** 32 + block), 32);
  }
}

/** True of a request for charges to tanks: these contracts have none. */
const isOfTanks = ([filter]: readonly unknown[]): boolean =>
  Array.isArray((filter as { readonly topics?: readonly unknown[] }).topics?.[0]);

export const blocksOf = ([first]: readonly unknown[]): number => {
  const filter = first as LogFilter;
  return 'blockHash' in filter ? 1 : Number(filter.toBlock) - Number(filter.fromBlock) + 1;
};
