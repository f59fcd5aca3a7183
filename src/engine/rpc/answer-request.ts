import type { EngineError } from '../../shared/errors.ts';
import { readJson } from '../http/json.ts';
import type { RateLimits } from '../rate-limit/rate-limits.ts';
import type { Service } from '../service/index.ts';
import { type RpcAnswer, dispatch } from './dispatch.ts';
import { answerStranger } from './envelope.ts';

export interface RpcAnsweringOptions {
  readonly service: Service;
  readonly limits: RateLimits;
  /** Read for each request. */
  readonly showReasons: () => boolean;
}

/** A request of the JSON-RPC interface. */
export interface ReceivedRequest {
  /** NaN if it is not a chain id; absent if the path has none: then the DApp's. */
  readonly chainId?: number;
  readonly apiKey: string;
  /** The client's address, as the socket reports it. */
  readonly remoteAddress: string;
  /** False for bodies that are longer than most requests. */
  readonly isShort: boolean;
  /** Called at most once. */
  readonly readText: () => Promise<string>;
}

export interface RpcAnswering {
  readonly service: Service;
  /**
   * Answers a request of any form.
   *
   * @param publicError maps an error to what a client may see
   * @throws EngineError if the request exceeds a limit or its body cannot be read
   */
  readonly answerRequest: (
    request: ReceivedRequest,
    publicError: (error: unknown) => EngineError,
  ) => Promise<RpcAnswer>;
}

/** Unknown keys share one counter: an attacker must not fill the memory with invented ones. */
const UNKNOWN_KEYS = '';

/** The smart account of a request, as far as visible before validation. */
const senderOf = ([first]: readonly unknown[]): string | undefined => {
  // Some methods take one object, with the operation as a member.
  const { userOp, userOperation = userOp ?? first } = Object(first) as Record<string, unknown>;
  const { sender } = Object(userOperation) as Record<string, unknown>;
  return typeof sender === 'string' && /^0x[0-9a-f]{40}$/i.test(sender) ? sender.toLowerCase() : undefined;
};

/** Limit on values in a body: far more than a batch of requests needs, and far less than its bytes could hold. */
const MAX_VALUES = 4_096;

const readBodyJson = (text: string): unknown => readJson(text, MAX_VALUES);

/** Answers requests of the JSON-RPC interface, however they came. */
export const createRpcAnswering = ({ service, limits, showReasons }: RpcAnsweringOptions): RpcAnswering => ({
  service,
  async answerRequest({ apiKey, remoteAddress, isShort, readText, ...named }, publicError) {
    const chainId = named.chainId ?? (await service.access.chainOf(apiKey)) ?? NaN;
    const isKnown = await service.access.isApiKey(chainId, apiKey);
    const count = (): void => {
      limits.peer(remoteAddress);
      limits.apiKey(isKnown ? apiKey : UNKNOWN_KEYS);
    };
    // The first request is counted before the body is read; the others of a batch are counted one by one afterwards.
    count();
    if (!isKnown) {
      // Without a valid API key, only as much is read as the answer needs for the request's id.
      return answerStranger(
        isShort
          ? await readText()
              .then(readBodyJson)
              .catch(() => undefined)
          : undefined,
      );
    }
    let counted = true;
    const admit = (params: readonly unknown[]): void => {
      if (!counted) count();
      counted = false;
      const sender = senderOf(params);
      if (sender !== undefined) limits.sender(apiKey, sender);
    };
    const body = readBodyJson(await readText());
    return dispatch(body, { service, chainId, apiKey, showReasons: showReasons() }, publicError, admit);
  },
});
