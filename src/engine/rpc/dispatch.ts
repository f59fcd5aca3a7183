import { EngineError } from '../../shared/errors.ts';
import type { Soon } from '../base/soon.ts';
import type { AnsweredRequest, Decided } from '../service/index.ts';
import { type RpcRequest, type RpcResponse, failure, httpStatus, readBatch, readRequest } from './envelope.ts';
import type { MethodContext, RpcMethod } from './method.ts';
import { rpcMethods } from './methods.ts';

const byName = new Map(rpcMethods.map((method) => [method.method, method]));

export interface RpcAnswer {
  readonly status: number;
  readonly body: RpcResponse | RpcResponse[];
}

interface SingleAnswer {
  readonly status: number;
  readonly body: RpcResponse;
}

/** True for requests in the dialect of Biconomy's clients. */
const isBiconomy = ({ method, params }: Pick<RpcRequest, 'method' | 'params'>): boolean =>
  method === 'pm_getFeeQuoteOrData' || (method === 'pm_sponsorUserOperation' && typeof params[1] !== 'string');

/** What the caller of {@link dispatch} does with each request of a body. */
export interface Watch {
  /** Receives each request's params first, and its method; an error that it throws becomes the answer. */
  readonly admit: (params: readonly unknown[], method: RpcMethod | undefined) => void;
  /** Called when a request starts. @returns a function that receives the request when it is answered */
  readonly start: () => (answered: AnsweredRequest) => void;
}

const UNWATCHED: Watch = { admit: () => undefined, start: () => () => undefined };

/**
 * Answers a JSON-RPC body, single or batch. A batch gets status 200, each response with its own error. A single request
 * gets the status of its error (behaviour 2.7).
 *
 * @param publicError maps an error to what a client may see
 */
export const dispatch = (
  body: unknown,
  context: Omit<MethodContext, 'decided'>,
  publicError: (error: unknown) => EngineError,
  { admit, start }: Watch = UNWATCHED,
): Soon<RpcAnswer> => {
  const answerOne = (value: unknown): Soon<SingleAnswer> => {
    const keep = start();
    const request = readRequest(value);
    let decision: Decided | undefined;
    const answerWith = (status: number, body: RpcResponse, error?: EngineError): SingleAnswer => {
      const method = 'method' in request ? request.method : undefined;
      keep({ method, status, request: value, answer: body, error, decided: decision });
      return { status, body };
    };
    if ('error' in request) {
      const { error, id } = request;
      return answerWith(error.status, failure(id, error), error);
    }
    const answered = (result: unknown): SingleAnswer => answerWith(200, { jsonrpc: '2.0', id: request.id, result });
    const failed = (cause: unknown): SingleAnswer => {
      const error = publicError(cause);
      return answerWith(httpStatus(error, isBiconomy(request)), failure(request.id, error), error);
    };
    const decided = (made: Decided): void => void (decision = made);
    try {
      const method = byName.get(request.method);
      admit(request.params, method);
      if (method === undefined)
        throw new EngineError('METHOD_NOT_FOUND', `Method not found: ${request.method.slice(0, 100)}`);
      const result = method.handle(request.params, { ...context, decided });
      return result instanceof Promise ? result.then(answered, failed) : answered(result);
    } catch (cause) {
      return failed(cause);
    }
  };
  const answerAll = async (values: readonly unknown[]): Promise<RpcAnswer> => {
    const answers: RpcResponse[] = [];
    for (const value of values) answers.push((await answerOne(value)).body);
    return { status: 200, body: answers };
  };
  return Array.isArray(body) ? answerAll(readBatch(body)) : answerOne(body);
};
