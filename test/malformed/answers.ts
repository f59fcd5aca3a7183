import { errorTable } from '../../src/shared/errors.ts';
import { Finding } from './way.ts';
import type { Answer } from './wire.ts';

/** What must hold for any answer, whatever was sent. */

const RPC_CODES: ReadonlySet<number> = new Set(Object.values(errorTable).map(({ rpc }) => rpc));
const LONGEST_MESSAGE = 2_000;
/** A stack trace, or a path on this machine. */
const INSIDE = /\n\s+at |node:internal|node_modules|\/src\/engine|\.ts:\d/;

const check = (holds: boolean, what: string, answer: unknown): void => {
  if (!holds) throw new Finding(`${what}: ${JSON.stringify(answer)?.slice(0, 1_000)}`);
};

const json = (answer: Answer): unknown => {
  try {
    return JSON.parse(answer.body);
  } catch {
    throw new Finding(
      `not JSON: ${JSON.stringify({ ...answer, headers: Object.fromEntries(answer.headers) }).slice(0, 1_000)}`,
    );
  }
};

const isClear = (message: unknown): boolean =>
  typeof message === 'string' && message.length > 2 && message.length < LONGEST_MESSAGE && !INSIDE.test(message);

interface RpcAnswer {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: unknown; readonly data?: unknown };
}

const checkRpcAnswer = (one: RpcAnswer): void => {
  check(one.jsonrpc === '2.0' && 'id' in one, 'not a JSON-RPC answer', one);
  check('result' in one !== 'error' in one, 'not either a result or an error', one);
  if (one.error === undefined) return;
  check(RPC_CODES.has(one.error.code) || one.error.code === -32_000, 'an unknown error code', one);
  check(isClear(one.error.message), 'an unclear message', one);
  check(one.error.code !== -32_603, 'an internal error', one);
};

/** The JSON-RPC interface answers 503 only if a chain cannot be reached. */
export const checkRpc = (answer: Answer): void => {
  const body = json(answer) as RpcAnswer | readonly RpcAnswer[];
  const answers = Array.isArray(body) ? (body as readonly RpcAnswer[]) : [body as RpcAnswer];
  check(answers.length > 0, 'an empty batch', body);
  answers.forEach(checkRpcAnswer);
  const isAway = answer.status === 503 && answers[0]?.error?.code === -32_053;
  check(answer.status < 500 || isAway, `HTTP ${answer.status}`, body);
};

const checkEnvelope = (answer: Answer): void => {
  const { statusCode, message } = json(answer) as { statusCode?: unknown; message?: unknown };
  check(statusCode === answer.status && isClear(message), 'not an envelope with its own status', answer);
  check(answer.status < 500, `HTTP ${answer.status}`, answer);
};

const checkCall = (answer: Answer): void => {
  const told = json(answer) as { ok: unknown; code?: unknown; message?: unknown };
  if (told.ok === true) return;
  check(typeof told.code === 'string' && told.code in errorTable && isClear(told.message), 'an unclear error', told);
  check(told.code !== 'INTERNAL', 'an internal error', told);
};

/** Checks an answer of the interface that it comes from: a malformed path may lead to another one. */
export const checkAnswer = (answer: Answer): void => {
  checkStatus(answer);
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  if (!isJson || answer.body === '') return;
  if (/"jsonrpc":"2.0"/.test(answer.body.slice(0, 40))) checkRpc(answer);
  else if (answer.body.startsWith('{"ok":')) checkCall(answer);
  else if (answer.body.startsWith('{"statusCode":')) checkEnvelope(answer);
  else check(answer.status === 200 || answer.status === 503, 'an error in no format', answer);
};

/** Any answer over HTTP, such as one of Node.js itself to bytes that are no HTTP. */
export const checkStatus = ({ status, headers, body }: Answer): void => {
  // A chain that a call needs may be away, and `/readyz` says what is missing.
  const isAway = status === 503 && /^\{"(?:jsonrpc|ok|ready)"/.test(body);
  check(status < 500 || status === 505 || isAway, `HTTP ${status}`, body.slice(0, 500));
  const isPage = headers.get('content-type')?.startsWith('text/') === true;
  check(status === 200 || isPage || !INSIDE.test(body.slice(0, 5_000)), 'a word about the inside', body.slice(0, 500));
};
