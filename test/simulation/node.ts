import { Interface, toBeHex } from 'ethers';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import { type Block, type Log, type ModelChain, logsOf, wordOf } from './chain.ts';
import type { Draw } from '../support/draw.ts';
import { type FeedFault, createTokenContracts } from './token-contracts.ts';
import type { TransferGas } from './tokens.ts';
import type { VirtualTime } from './time.ts';
import { bodyOf } from './wires.ts';

const abi = new Interface([
  'function getNonce(address sender, uint192 key) view returns (uint256)',
  'function getBalance(address paymasterId) view returns (uint256)',
  'function balanceOf(address account) view returns (uint256)',
  'function verifyingSigner() view returns (address)',
  'function signers(address signer) view returns (bool)',
]);

/** `FailedOp(0, "AA90 invalid beneficiary")`: everything before the last step of a simulated bundle went well. */
const ALL_VALID = new Interface(['error FailedOp(uint256 opIndex, string reason)']).encodeErrorResult('FailedOp', [
  0,
  'AA90 invalid beneficiary',
]);

/** How a node fails its callers. */
export interface NodeFaults {
  /** Blocks by which it is behind. */
  behind: number;
  /** Newest blocks whose logs it leaves out, as a node does that has not indexed them yet. */
  logsBehind: number;
  /** Percent of requests without an answer, with an error, or with an answer that is no JSON-RPC. */
  silent: number;
  failing: number;
  garbled: number;
  /** Percent of calls of contracts whose state it lacks, though it has the blocks and their logs. */
  stateless: number;
  /** The longest that it takes to answer, ms. */
  slowMs: number;
  /** Why what its price feeds answer cannot be trusted; undefined if it can. */
  feed: FeedFault | undefined;
}

/** A late answer, less than a desk waits for, ms. */
const LATE_MS = 4_500;

/** A node that works. */
const healthy = (slowMs: number): NodeFaults => ({
  behind: 0,
  logsBehind: 0,
  silent: 0,
  failing: 0,
  garbled: 0,
  stateless: 0,
  slowMs,
  feed: undefined,
});

/** An error that a node answers with. */
class NodeError extends Error {
  readonly code: number;
  readonly data: string | undefined;

  constructor(code: number, message: string, data?: string) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

interface LogFilter {
  readonly address?: Address | readonly Address[];
  readonly topics?: readonly (string | readonly string[] | null)[];
  readonly fromBlock?: Hex;
  readonly toBlock?: Hex;
  readonly blockHash?: Hex;
}

const matches = (log: Log, { address, topics = [] }: LogFilter): boolean => {
  const addresses = [address ?? []].flat().map((one) => one.toLowerCase());
  if (addresses.length > 0 && !addresses.includes(log.address.toLowerCase())) return false;
  return topics.every((wanted, index) => wanted === null || [wanted].flat().includes(log.topics[index] ?? ''));
};

export interface NodeOptions {
  readonly chain: ModelChain;
  readonly chainId: number;
  readonly signer: Address;
  /** Answers of `getHash`, by their calls. */
  readonly hashes: ReadonlyMap<string, string>;
  readonly baseFeeWei: () => bigint;
  readonly transferGas: TransferGas;
  readonly draw: Draw;
  readonly time: VirtualTime;
}

/** A node of the model chain, which answers JSON-RPC over HTTP. */
export const createNode = (options: NodeOptions) => {
  const { chain, chainId, signer, hashes, baseFeeWei, transferGas, draw, time } = options;
  // With 1 ms for every answer, requests that come together are decided together.
  const usualMs = draw.pick([1, 20, 400]);
  // While a decision waits for a late answer, blocks are mined; if only what it alone asks is late, they are settled.
  const late = draw.pick([
    { percent: 0, least: 0, method: '' },
    { percent: 20, least: 1_000, method: 'eth_' },
    { percent: 70, least: 3_000, method: 'eth_maxPriorityFeePerGas' },
  ]);
  const faults = healthy(usualMs);
  const tokens = createTokenContracts({ chain, transferGas, feedFault: () => faults.feed, time });

  const blockView = ({ number, hash, timestamp }: Block) => ({
    number: toBeHex(number),
    hash,
    timestamp: toBeHex(timestamp),
    baseFeePerGas: toBeHex(baseFeeWei()),
    gasLimit: toBeHex(60_000_000),
  });

  const through = (blocks: readonly Block[], at: unknown): readonly Block[] => {
    if (typeof at !== 'object' || at === null) return blocks;
    const { blockHash } = at as { blockHash: Hex };
    const index = blocks.findIndex(({ hash }) => hash === blockHash);
    if (index < 0) throw new NodeError(-32001, 'header for hash not found');
    return blocks.slice(0, index + 1);
  };

  const call = (blocks: readonly Block[], [{ to, data }, at]: [{ to: Address; data: Hex }, unknown]): string => {
    const known = hashes.get(data);
    if (known !== undefined) return known;
    const state = through(blocks, at);
    const ofTokens = tokens.answer(state, to, data);
    if (ofTokens !== undefined) return ofTokens;
    const method = abi.parseTransaction({ data });
    switch (method?.name) {
      case 'getNonce': {
        const [sender, key] = method.args as unknown as [Address, bigint];
        return wordOf(chain.nextNonce(sender.toLowerCase() as Address, key, state));
      }
      case 'getBalance':
      case 'balanceOf': {
        const wei = chain.balance(String(method.args[0]).toLowerCase(), state);
        return wordOf(wei > 0n ? wei : 0n);
      }
      case 'verifyingSigner':
        return wordOf(signer);
      case 'signers':
        return wordOf(1n);
      default:
        // `entryPoint()` is not asked of all contracts; a simulated bundle ends as it does where all is well.
        throw data.length > 1_000
          ? new NodeError(3, 'execution reverted', ALL_VALID)
          : new NodeError(3, `revert ${to}`);
    }
  };

  const logs = (blocks: readonly Block[], filter: LogFilter): Log[] => {
    const { blockHash, fromBlock, toBlock } = filter;
    if (blockHash !== undefined) {
      const block = blocks.find(({ hash }) => hash === blockHash);
      if (block === undefined) throw new NodeError(-32001, 'header for hash not found');
      return logsOf(block).filter((log) => matches(log, filter));
    }
    return blocks
      .slice(0, blocks.length - faults.logsBehind)
      .filter(({ number }) => number >= Number(fromBlock) && number <= Number(toBlock))
      .flatMap(logsOf)
      .filter((log) => matches(log, filter));
  };

  const receipt = (blocks: readonly Block[], transactionHash: string): unknown => {
    const block = blocks.find(({ operations }) => operations.some((one) => one.transactionHash === transactionHash));
    const mined = block?.operations.find((one) => one.transactionHash === transactionHash);
    if (block === undefined || mined === undefined) return null;
    return {
      blockHash: block.hash,
      from: `0x${'be'.repeat(20)}`,
      gasUsed: toBeHex(mined.gasUsed),
      logs: logsOf(block).filter((log) => log.transactionHash === transactionHash),
    };
  };

  const answer = (method: string, params: readonly unknown[]): unknown => {
    const blocks = chain.seen(faults.behind);
    switch (method) {
      case 'eth_chainId':
        return toBeHex(chainId);
      case 'eth_syncing':
        return false;
      case 'eth_maxPriorityFeePerGas':
        return '0x5f5e100';
      case 'eth_getCode':
        return '0x01';
      case 'eth_call':
        if (draw.chance(faults.stateless)) throw new NodeError(-32000, 'missing trie node');
        return call(blocks, params as Parameters<typeof call>[1]);
      case 'eth_getLogs':
        return logs(blocks, params[0] as LogFilter);
      case 'eth_getTransactionReceipt':
        return receipt(blocks, String(params[0]));
      case 'eth_getTransactionByHash':
        return { input: '0x' };
      case 'eth_getBlockByHash': {
        const block = blocks.find(({ hash }) => hash === params[0]);
        return block === undefined ? null : blockView(block);
      }
      case 'eth_getBlockByNumber': {
        const block = params[0] === 'latest' ? blocks.at(-1) : blocks[Number(params[0])];
        return block === undefined ? null : blockView(block);
      }
      default:
        throw new NodeError(-32601, `the method ${method} does not exist`);
    }
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { id, method, params } = JSON.parse(await bodyOf(request)) as {
      id: unknown;
      method: string;
      params: unknown[];
    };
    const isLate = method.startsWith(late.method) && draw.chance(late.percent);
    await time.pass(isLate ? draw.between(late.least, LATE_MS) : draw.between(1, faults.slowMs));
    if (draw.chance(faults.silent)) return;
    response.setHeader('date', new Date(time.now).toUTCString());
    if (draw.chance(faults.garbled)) {
      response.end(draw.pick(['', '<html>', '[]', '{"jsonrpc":"2.0"}', `{"result":`]));
      return;
    }
    let body: object;
    try {
      if (draw.chance(faults.failing)) throw new NodeError(-32005, draw.pick(['rate limited', 'internal error']));
      body = { result: answer(method, params) };
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      body = { error: { code: error.code, message: error.message, data: error.data } };
    }
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
  };

  return {
    faults,
    /** Every price that its feeds have answered and that can be trusted. */
    shownPrices: tokens.shown,
    slowestMs: late.percent > 0 ? LATE_MS : usualMs,
    serve,
    heal: () => void Object.assign(faults, healthy(usualMs)),
  };
};
