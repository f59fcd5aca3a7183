import { Interface, ZeroAddress, id, toBeHex, zeroPadValue } from 'ethers';
import type { RpcClient } from '../../src/engine/chain/rpc.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';

const abi = new Interface([
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
]);

interface LogFilter {
  fromBlock: Hex;
  toBlock: Hex;
}

/** A node without a network: blocks are made up, answers can be overruled. */
export class ScriptedNode implements RpcClient {
  readonly url = 'http://127.0.0.1:1';
  /** Every request, in order. */
  readonly asked: { method: string; params: readonly unknown[] }[] = [];
  /** How many requests were in flight at most. */
  mostAtOnce = 0;
  /** Answers or throws instead of the node where it returns something else than undefined. */
  overrule: (method: string, params: readonly unknown[]) => unknown = () => undefined;
  readonly #blocks: { timestamp: number; branch: number }[] = [];
  #logs: { blockNumber: Hex }[] = [];
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

  /** Takes the newest blocks away; those that follow are others. */
  takeBack(blocks: number): void {
    this.#blocks.length -= blocks;
    this.#logs = this.#logs.filter(({ blockNumber }) => Number(blockNumber) <= this.head);
    this.#branch += 1;
  }

  get head(): number {
    return this.#blocks.length - 1;
  }

  /** Puts a `UserOperationEvent` into a block. */
  mine(userOpHash: Hex, paymaster: Address, cost: bigint, block: number): void {
    const log = abi.encodeEventLog('UserOperationEvent', [userOpHash, ZeroAddress, paymaster, 0n, true, cost, 1n]);
    const place = {
      address: ZeroAddress,
      blockHash: this.#hash(block),
      transactionHash: id(`transaction ${userOpHash}`),
    };
    this.#logs.push({ ...log, ...place, blockNumber: toBeHex(block) as Hex });
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

  /** How many blocks each request for logs asked for, in order. */
  get ranges(): number[] {
    return this.asked.filter(({ method }) => method === 'eth_getLogs').map(({ params }) => blocksOf(params));
  }

  #answer(method: string, [first]: readonly unknown[]): unknown {
    if (method === 'eth_syncing') return false;
    if (method === 'eth_getTransactionByHash') return { input: '0x' };
    if (method === 'eth_getLogs') {
      const { fromBlock, toBlock } = first as LogFilter;
      const isAsked = (block: number): boolean => block >= Number(fromBlock) && block <= Number(toBlock);
      return this.#logs.filter(({ blockNumber }) => isAsked(Number(blockNumber)));
    }
    const number = first === 'latest' ? this.head : Number(first);
    const block = this.#blocks[number];
    if (block === undefined) return null;
    return { number: toBeHex(number), hash: this.#hash(number), timestamp: toBeHex(block.timestamp) };
  }

  #hash(block: number): string {
    return zeroPadValue(toBeHex((this.#blocks[block]?.branch ?? 0) * 2 ** 32 + block), 32);
  }
}

/** How many blocks a request for logs spans. */
export const blocksOf = ([filter]: readonly unknown[]): number => {
  const { fromBlock, toBlock } = filter as LogFilter;
  return Number(toBlock) - Number(fromBlock) + 1;
};
