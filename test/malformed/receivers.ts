import { once } from 'node:events';
import { type Server as HttpServer, type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Servers that the desk calls, and that answer what a request of the test says. */

/** The bytes of a whole HTTP answer, or what is none. */
export type Bytes = Buffer;

export interface Receiver {
  readonly url: string;
  stop(): void;
}

const start = async (answer: (request: IncomingMessage) => Promise<Bytes>): Promise<Receiver> => {
  const server: HttpServer = createServer((request) => {
    const { socket } = request;
    answer(request).then(
      (bytes) => socket.end(bytes),
      () => socket.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
};

/** A sound HTTP answer. */
export const httpAnswer = (body: string): Bytes =>
  Buffer.from(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );

/** Answers every call of a webhook with the same bytes. */
export const startWebhook = async (bytes: () => Bytes): Promise<Receiver> =>
  start(async (request) => {
    await text(request);
    return bytes();
  });

const HASH = `0x${'ab'.repeat(32)}`;
const word = (value: bigint): string => value.toString(16).padStart(64, '0');

/** The answer of a node or a bundler to a method, as it should be. */
export const soundAnswer = (method: string): unknown => {
  const block = {
    number: '0x10',
    hash: HASH,
    parentHash: HASH,
    timestamp: `0x${Math.floor(Date.now() / 1_000).toString(16)}`,
    baseFeePerGas: '0x3b9aca00',
    gasLimit: '0x1c9c380',
    transactions: [],
  };
  const gas = { preVerificationGas: '0xea60', verificationGasLimit: '0x7a120', callGasLimit: '0x30d40' };
  const answers: Readonly<Record<string, unknown>> = {
    eth_chainId: '0x7a6a',
    net_version: '31338',
    eth_blockNumber: '0x10',
    eth_getBlockByNumber: block,
    eth_getBlockByHash: block,
    eth_syncing: false,
    eth_getLogs: [],
    eth_gasPrice: '0x3b9aca00',
    eth_maxPriorityFeePerGas: '0x1',
    eth_feeHistory: {
      oldestBlock: '0x1',
      baseFeePerGas: ['0x3b9aca00', '0x3b9aca00'],
      gasUsedRatio: [0.5],
      reward: [['0x1']],
    },
    eth_getCode: '0x6000',
    eth_getBalance: '0xde0b6b3a7640000',
    eth_getTransactionCount: '0x1',
    eth_estimateGas: '0x5208',
    eth_call: `0x${word(10n ** 20n).repeat(8)}`,
    eth_getStorageAt: `0x${word(0n)}`,
    eth_config: {
      current: { activationTime: 0, chainId: '0x7a6a', precompiles: {}, systemContracts: {} },
      next: null,
      last: null,
    },
    eth_estimateUserOperationGas: gas,
    eth_sendUserOperation: HASH,
    eth_getUserOperationByHash: null,
    eth_getUserOperationReceipt: null,
    eth_supportedEntryPoints: ['0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789'],
    pimlico_getUserOperationGasPrice: { fast: { maxFeePerGas: '0x3b9aca00', maxPriorityFeePerGas: '0x1' } },
  };
  return answers[method] ?? null;
};

interface Asked {
  readonly id?: unknown;
  readonly method?: string;
}

/** A node and a bundler. @param reply turns a sound JSON-RPC answer to a method into what is sent */
export const startNode = async (reply: (method: string, sound: object) => Bytes): Promise<Receiver> =>
  start(async (request) => {
    const { id = 1, method = '' } = JSON.parse(await text(request)) as Asked;
    return reply(method, { jsonrpc: '2.0', id, result: soundAnswer(method) });
  });
