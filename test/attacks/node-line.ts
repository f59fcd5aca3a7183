import { once } from 'node:events';
import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Hex } from '../../src/shared/schema/hex.ts';

/** What is wrong with the way to the node: nothing, or how every request ends. */
export const LINE_FAULTS = ['cut', 'busy', 'silent', 'nonsense', 'refusing'] as const;
/** What is wrong with the way to the node. */
export type LineFault = (typeof LINE_FAULTS)[number];

/** What a node says that its chain does not. Prices in wei per gas. */
export interface NodeLies {
  /** The tip it suggests; undefined: its own. */
  tipWei(): bigint | undefined;
  /** The base fee of the newest block; undefined: the chain's. */
  baseFeeWei(): bigint | undefined;
  /** Logs come from another node, which is this many blocks behind and says nothing of it. */
  logsBehind: number;
}

/** The desk's way to its node, on which every request can be made to fail, and every answer to lie. */
export interface NodeLine {
  readonly url: string;
  /** Undefined: requests reach the node. */
  fault: LineFault | undefined;
  lies: NodeLies;
  /** How many requests wait for their answer. */
  inFlight(): number;
  stop(): Promise<void>;
}

/** A node that says what is so. */
export const HONEST: Readonly<NodeLies> = { tipWei: () => undefined, baseFeeWei: () => undefined, logsBehind: 0 };

type Answer = (response: ServerResponse) => void;
const failing: Readonly<Record<LineFault, Answer>> = {
  cut: (response) => response.destroy(),
  busy: (response) => response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>503 Service Unavailable</h1>'),
  // Until the desk's patience ends.
  silent: () => undefined,
  nonsense: (response) => response.end('{"jsonrpc":"2.0","id":1,"result":"0x"}'),
  refusing: (response) => response.end('{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"limit exceeded"}}'),
};

interface Request {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

interface Reply {
  readonly id: number;
  result?: unknown;
  error?: { readonly code: number; readonly message: string };
}

const hex = (value: bigint): Hex => `0x${value.toString(16)}`;

/** Puts such a line on 127.0.0.1 in front of the node at `target`. End it with `stop`. */
export const startNodeLine = async (target: string): Promise<NodeLine> => {
  let inFlight = 0;
  const post = async (body: string): Promise<Reply> => {
    const headers = { 'content-type': 'application/json' };
    return (await fetch(target, { method: 'POST', headers, body })).json() as Promise<Reply>;
  };
  const ask = async (method: string, params: readonly unknown[]): Promise<unknown> =>
    (await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))).result;

  const tellBlock = (block: { baseFeePerGas: Hex }): unknown => ({
    ...block,
    baseFeePerGas: hex(line.lies.baseFeeWei() ?? BigInt(block.baseFeePerGas)),
  });
  const tellLogs = async (reply: Reply, { id, params: [filter] }: Request): Promise<Reply> => {
    const last = Number(await ask('eth_blockNumber', [])) - line.lies.logsBehind;
    const { blockHash } = filter as { blockHash?: Hex };
    if (blockHash !== undefined) {
      const block = (await ask('eth_getBlockByHash', [blockHash, false])) as { number: Hex } | null;
      const isThere = block !== null && Number(block.number) <= last;
      return isThere ? reply : { id, error: { code: -32_000, message: 'unknown block' } };
    }
    const logs = reply.result as { blockNumber: Hex }[];
    return { ...reply, result: logs.filter(({ blockNumber }) => Number(blockNumber) <= last) };
  };
  const told = async (request: Request, reply: Reply): Promise<Reply> => {
    if (reply.error !== undefined) return reply;
    const { method, params } = request;
    if (method === 'eth_getBlockByNumber' && params[0] === 'latest') {
      return { ...reply, result: tellBlock(reply.result as { number: Hex; baseFeePerGas: Hex }) };
    }
    if (method === 'eth_getLogs' && line.lies.logsBehind > 0) return tellLogs(reply, request);
    const tipWei = line.lies.tipWei();
    return method === 'eth_maxPriorityFeePerGas' && tipWei !== undefined ? { ...reply, result: hex(tipWei) } : reply;
  };
  const answer = async (body: string, response: ServerResponse): Promise<void> => {
    try {
      const reply = await told(JSON.parse(body) as Request, await post(body));
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
    } catch {
      response.destroy();
    }
  };
  const server = createServer((incoming, response) => {
    inFlight += 1;
    response.on('close', () => (inFlight -= 1));
    if (line.fault !== undefined) {
      incoming.resume();
      failing[line.fault](response);
      return;
    }
    text(incoming).then(
      (body) => answer(body, response),
      () => response.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const line: NodeLine = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fault: undefined,
    lies: { ...HONEST },
    inFlight: () => inFlight,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return line;
};
