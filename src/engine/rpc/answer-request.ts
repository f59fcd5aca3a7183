import { EngineError } from '../../shared/errors.ts';
import { type Soon, soon } from '../base/soon.ts';
import { readJson } from '../http/json.ts';
import type { RateLimits } from '../rate-limit/rate-limits.ts';
import type { AnsweredRequest, Service } from '../service/index.ts';
import { type RpcAnswer, dispatch } from './dispatch.ts';
import { answerStranger, failure, httpStatus } from './envelope.ts';
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

/** The method of a request that is not validated; undefined for anything else, such as a batch. */
const methodOf = (body: unknown): string | undefined => {
  const { method } = Object(body) as Record<string, unknown>;
  return typeof method === 'string' ? method : undefined;
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
      soon(access.idOnChain(chainId, apiKey), (paymasterId) => {
        const start = (): Keep => service.requests.start({ chainId, paymasterId });
        return keepingErrors(start, publicError, () =>
          answerCaller({ service, limits, showReasons }, { ...request, chainId, paymasterId, start }, publicError),
        );
      }),
    );
  },
});

type Keep = (answered: AnsweredRequest) => void;

/** Keeps a request that fails before it is read, and throws the error. */
const keepingErrors = <T>(
  start: () => Keep,
  publicError: (error: unknown) => EngineError,
  answer: () => Soon<T>,
): Soon<T> => {
  const failed = (cause: unknown): never => {
    const error = publicError(cause);
    start()({ status: httpStatus(error), answer: failure(null, error), error });
    throw error;
  };
  try {
    const answered = answer();
    return answered instanceof Promise ? answered.catch(failed) : answered;
  } catch (cause) {
    return failed(cause);
  }
};

/** A request whose caller was looked up. */
interface CallerRequest extends ReceivedRequest {
  readonly chainId: number;
  /** The DApp of the API key. Undefined if no DApp on the chain has the key. */
  readonly paymasterId: string | undefined;
  /** Called when a request starts. @returns a function that receives the request when it is answered */
  readonly start: () => Keep;
}

const answerCaller = (
  { service, limits, showReasons }: RpcAnsweringOptions,
  { chainId, apiKey, remoteAddress, isShort, readText, paymasterId, start }: CallerRequest,
  publicError: (error: unknown) => EngineError,
): Soon<RpcAnswer> => {
  const count = (): void => {
    limits.peer(remoteAddress);
    limits.apiKey(paymasterId === undefined ? UNKNOWN_KEYS : apiKey);
  };
  // The first request is counted before the body is read; the others of a batch are counted one by one afterwards.
  count();
  if (paymasterId === undefined) {
    // Without a valid API key, only the ids of the requests are read, because the answer must contain them.
    const keep = start();
    const answer = (body: unknown): RpcAnswer => {
      const answered = answerStranger(body);
      keep({ method: methodOf(body), status: answered.status, error: new EngineError('UNKNOWN_API_KEY') });
      return answered;
    };
    if (!isShort) return answer(undefined);
    return readText()
      .then(readBodyJson)
      .catch(() => undefined)
      .then(answer);
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
    dispatch(readBodyJson(text), { service, chainId, apiKey, showReasons: showReasons() }, publicError, {
      admit,
      start,
    }),
  );
};
