import type { GasSchedule } from '../../core/gas-schedules/gas-schedule.ts';
import { assumedSchedule } from '../../core/gas-schedules/schedules.ts';
import { EngineError } from '../../shared/errors.ts';
import { type Address, type Hex, isHex } from '../../shared/schema/hex.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { type Post, createPost } from '../network/http-post.ts';
import { createNames } from '../network/names.ts';
import { credentialRedactor } from './redact-credentials.ts';

/** An error returned by the node. For a reverted call it contains the revert data. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  /** Revert data of a failed `eth_call`; undefined if the node sent none. */
  readonly data: Hex | undefined;

  constructor(code: number, message: string, data: Hex | undefined) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** True for a reverted call, which nodes report in several ways. Any other error says nothing about the contract. */
export const hasReverted = ({ code, data, message }: RpcError): boolean =>
  code === 3 || data !== undefined || /revert|VM execution|invalid opcode|invalid jump|out ?of ?gas/i.test(message);

/**
 * `CHAIN_UNREACHABLE` for an error of the node. The node's message is only in the cause, because it may contain the
 * operator's key.
 */
export const nodeRefusal = (chainId: number, cause: RpcError): EngineError =>
  new EngineError('CHAIN_UNREACHABLE', `The node of chain ${chainId} answered with an error`, {}, { cause });

export const isUnreachable = (error: unknown): error is EngineError =>
  error instanceof EngineError && error.code === 'CHAIN_UNREACHABLE';

/** How a request to a node ended. */
export type CallOutcome = 'result' | 'error' | 'unreachable';

export interface CallTarget {
  readonly chainId: number;
  readonly kind: 'node' | 'bundler';
}

export interface RpcClient {
  readonly url: string;
  /**
   * @throws EngineError `CHAIN_UNREACHABLE` if no response came in time, or if it was not JSON-RPC
   * @throws RpcError if the node answered with an error
   */
  send(method: string, params: readonly unknown[]): Promise<unknown>;
  /** `eth_call` at the latest block. */
  readonly call: (to: Address, data: Hex) => Promise<Hex>;
  /** The server's clock in its last response (epoch ms, whole seconds); undefined if it sent none. */
  readonly answeredAt?: () => number | undefined;
  /** The gas schedule of the chain, for the node of a chain. */
  readonly schedule?: GasSchedule;
}

/** The gas schedule of a node's chain. */
export const scheduleOf = ({ schedule = assumedSchedule }: Pick<RpcClient, 'schedule'>): GasSchedule => schedule;

interface RpcAnswer {
  result?: unknown;
  error?: { code?: unknown; message?: unknown; data?: unknown } | null;
}

const HEX = /0x(?:[0-9a-fA-F]{2})*/;

/** Finds revert data. Nodes put it into `data`, into `data.data`, or into a text such as `Reverted 0x…`. */
const revertData = (data: unknown): Hex | undefined => {
  let found = data;
  // Not recursive, because a node may nest them more deeply than the stack allows.
  while (typeof found === 'object' && found !== null) found = 'data' in found ? found.data : undefined;
  return typeof found === 'string' ? (HEX.exec(found)?.[0] as Hex | undefined) : undefined;
};

const isAnswer = (value: unknown): value is RpcAnswer =>
  typeof value === 'object' && value !== null && ('result' in value || 'error' in value);

/** Larger than any response that Gasdesk needs. Limited so that a response cannot use up the memory. */
const MAX_MIB = 32;

/** In characters. Revert data is part of some messages. */
const MAX_MESSAGE = 16_384;

/** Undefined for invalid JSON. No JSON text parses to undefined. */
const parseJson = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
};

/** Number of parts into which a timeout is divided. */
const PARTS = 10;

/**
 * Aborts after a timeout during which the event loop has run at least {@link PARTS} times. So a response that arrived
 * while the loop was blocked is still read, and does not count as a timeout.
 */
const startTimeout = (
  timeoutMs: number,
  timers: Pick<Clock, 'setTimer'>,
): { readonly signal: AbortSignal; readonly end: () => void } => {
  const controller = new AbortController();
  let left = PARTS;
  let end = (): void => undefined;
  const wait = (): void => {
    const pass = (): void => {
      left -= 1;
      if (left > 0) wait();
      if (left === 0) controller.abort(new DOMException('No answer in time', 'TimeoutError'));
    };
    end = timers.setTimer(Math.ceil(timeoutMs / PARTS), pass);
  };
  wait();
  return { signal: controller.signal, end: () => end() };
};

/** Moves the user info of a URL into a header. */
const requestFor = (url: string): { target: URL; headers: Record<string, string> } => {
  const target = new URL(url);
  const { username, password } = target;
  const userInfo = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  target.username = '';
  target.password = '';
  return {
    target,
    headers: {
      'content-type': 'application/json',
      ...(userInfo !== ':' && { authorization: `Basic ${Buffer.from(userInfo).toString('base64')}` }),
    },
  };
};

/** Resolves names with the machine's settings, for code outside of an engine. */
const postBySystem = createPost(createNames({ clock: systemClock }).resolve);

/**
 * Sends each request separately, by HTTP POST.
 *
 * @param what for messages, e.g. `The RPC of chain 31337`
 * @param timeoutMs maximum time for a response
 * @param onOutcome called with the result of each request
 * @param send connects to the server
 * @param timers measure the time for a response
 * @param closing ends requests in progress and refuses further ones, which then throw its reason
 */
export const createRpcClient = (
  url: string,
  what: string,
  timeoutMs: number,
  onOutcome: (outcome: CallOutcome) => void = () => undefined,
  send: Post = postBySystem,
  timers: Pick<Clock, 'setTimer'> = systemClock,
  closing: AbortSignal = new AbortController().signal,
): RpcClient => {
  const unreachable = (detail: string, cause?: unknown): EngineError =>
    new EngineError('CHAIN_UNREACHABLE', `${what} ${detail}`, {}, { cause });

  const { target, headers } = requestFor(url);
  let answeredAt: number | undefined;
  const post = async (body: string): Promise<unknown> => {
    const timeout = startTimeout(timeoutMs, timers);
    try {
      const signal = AbortSignal.any([timeout.signal, closing]);
      const answer = await send(target, { headers, body, signal, mostBytes: MAX_MIB * 2 ** 20 });
      const date = Date.parse(answer.headers.date ?? '');
      answeredAt = Number.isNaN(date) ? undefined : date;
      return parseJson(answer.body);
    } catch (error) {
      closing.throwIfAborted();
      if (error instanceof RangeError) throw unreachable(`answered with more than ${MAX_MIB} MiB`);
      throw unreachable(timeout.signal.aborted ? `did not answer in ${timeoutMs} ms` : 'cannot be reached', error);
    } finally {
      timeout.end();
    }
  };

  /** Nodes quote refused keys in their messages, and these messages reach DApps and decisions. */
  const redacted = credentialRedactor(url);
  const shown = (message: string): string => redacted(message).slice(0, MAX_MESSAGE);
  let id = 0;
  const sendOnce = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    id += 1;
    const answer = await post(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    if (!isAnswer(answer)) {
      throw unreachable(answer === undefined ? 'did not answer in JSON' : 'did not answer in JSON-RPC');
    }
    const { error, result } = answer;
    if (error === undefined || error === null) return result;
    const message = typeof error.message === 'string' ? shown(error.message) : 'unknown error';
    throw new RpcError(typeof error.code === 'number' ? error.code : 0, message, revertData(error.data));
  };

  const request = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    try {
      const result = await sendOnce(method, params);
      onOutcome('result');
      return result;
    } catch (error) {
      onOutcome(error instanceof RpcError ? 'error' : 'unreachable');
      throw error;
    }
  };

  return {
    url,
    send: request,
    answeredAt: () => answeredAt,
    call: async (to, data) => {
      const answer = await request('eth_call', [{ to, data }, 'latest']);
      if (typeof answer === 'string' && isHex(answer)) return answer;
      throw unreachable('did not return bytes for eth_call');
    },
  };
};
