import type { EngineError } from '../../shared/errors.ts';
import { type Soon, soon } from '../base/soon.ts';
import { readJson } from '../http/json.ts';
import type { RateLimits } from '../rate-limit/rate-limits.ts';
import type { Service } from '../service/index.ts';
import { type RpcAnswer, dispatch } from './dispatch.ts';
import { answerStranger } from './envelope.ts';
import type { RpcMethod } from './method.ts';

export interface RpcAnsweringOptions {
  readonly service: Service;
  readonly limits: RateLimits;
  /** Whether answers contain reasons. Read for each request. */
  readonly showReasons: () => boolean;
}

/** A request of the JSON-RPC interface. */
export interface ReceivedRequest {
  /** NaN if it is not a chain id. Absent if the path contains none: the DApp's chain id then applies. */
  readonly chainId?: number;
  readonly apiKey: string;
  /** The client's address, as the socket reports it. */
  readonly remoteAddress: string;
  /** False if the body is longer than most requests. */
  readonly isShort: boolean;
  /** Reads the body. Called at most once. */
  readonly readText: () => Promise<string>;
}

export interface RpcAnswering {
  readonly service: Service;
  /**
   * Answers a request, whatever its content.
   *
   * @param publicError maps an error to what a client may see
   * @throws EngineError if the request exceeds a limit or its body cannot be read
   */
  readonly answerRequest: (request: ReceivedRequest, publicError: (error: unknown) => EngineError) => Soon<RpcAnswer>;
}

/**
 * Requests with unknown keys share one counter, because otherwise an attacker could fill the memory with invented keys.
 */
const UNKNOWN_KEYS = '';

/** The smart account in a request that is not validated yet, if it can be found. */
const senderOf = ([first]: readonly unknown[]): string | undefined => {
  // Some methods take one object, with the operation as a member.
  const { userOp, userOperation = userOp ?? first } = Object(first) as Record<string, unknown>;
  const { sender } = Object(userOperation) as Record<string, unknown>;
  return typeof sender === 'string' && /^0x[0-9a-f]{40}$/i.test(sender) ? sender.toLowerCase() : undefined;
};

/**
 * Maximum number of values in a body: far more than a batch of requests needs, and far fewer than fit into the maximum
 * body size.
 */
const MAX_VALUES = 4_096;

const readBodyJson = (text: string): unknown => readJson(text, MAX_VALUES);

/** Answers requests of the JSON-RPC interface, whichever way they arrived. */
export const createRpcAnswering = ({ service, limits, showReasons }: RpcAnsweringOptions): RpcAnswering => ({
  service,
  answerRequest(request, publicError) {
    const { access } = service;
    const { apiKey } = request;
    const chain = request.chainId ?? soon(access.chainOf(apiKey), (chainId = NaN) => chainId);
    return soon(chain, (chainId) =>
      soon(access.isApiKey(chainId, apiKey), (isKnown) =>
        answerCaller({ service, limits, showReasons }, { ...request, chainId, isKnown }, publicError),
      ),
    );
  },
});

/** A request whose caller was looked up. */
interface CallerRequest extends ReceivedRequest {
  readonly chainId: number;
  /** Whether the API key is the key of a DApp on the chain. */
  readonly isKnown: boolean;
}

const answerCaller = (
  { service, limits, showReasons }: RpcAnsweringOptions,
  { chainId, apiKey, remoteAddress, isShort, readText, isKnown }: CallerRequest,
  publicError: (error: unknown) => EngineError,
): Soon<RpcAnswer> => {
  const count = (): void => {
    limits.peer(remoteAddress);
    limits.apiKey(isKnown ? apiKey : UNKNOWN_KEYS);
  };
  // The first request is counted before the body is read; the others of a batch are counted one by one afterwards.
  count();
  if (!isKnown) {
    // Without a valid API key, only the ids of the requests are read, because the answer must contain them.
    if (!isShort) return answerStranger(undefined);
    return readText()
      .then(readBodyJson)
      .catch(() => undefined)
      .then(answerStranger);
  }
  let counted = true;
  const admit = (params: readonly unknown[], method: RpcMethod | undefined): void => {
    if (!counted) count();
    counted = false;
    const sender = senderOf(params);
    if (sender !== undefined) limits.sender(apiKey, sender);
    if (method?.isForwarded === true) limits.forwarded(apiKey);
  };
  return readText().then((text) =>
    dispatch(readBodyJson(text), { service, chainId, apiKey, showReasons: showReasons() }, publicError, admit),
  );
};
