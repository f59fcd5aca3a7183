import type { Draw } from '../support/draw.ts';
import { type Json, mutateJson, mutateJsonText, mutateText, severalTimes } from './mutate.ts';
import { Finding } from './way.ts';
import type { Answer, Connections } from './wire.ts';

/** A request whose HTTP is sound, whatever it says. */
export interface HttpInput {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, or text that need not be JSON; undefined: none. */
  readonly body?: { readonly json: Json } | { readonly text: string } | undefined;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'];
const HEADERS: Readonly<Record<string, readonly string[]>> = {
  'content-type': [
    'application/json',
    'text/plain',
    'application/json; charset=utf-16',
    'multipart/form-data',
    '/',
    '',
  ],
  'content-encoding': ['gzip', 'identity', 'br', 'deflate, gzip'],
  origin: ['null', 'https://evil.example', 'http://', 'x'],
  accept: ['text/html', '*/*;q=x', ''],
  'accept-encoding': ['gzip;q=0', 'identity;q=0', '*;q=0, gzip;q=2', ''],
  authorization: ['Bearer', 'Bearer x', 'Basic eDp5', 'Bearer  a b'],
  'if-none-match': ['*', '"x"', 'W/'],
  'last-event-id': ['-1', '1e3', '999999999999999', '0x1', '99999999999999999999'],
  range: ['bytes=0-', 'bytes=-1', 'x'],
  cookie: ['a=b; a', '='],
  'x-forwarded-for': ['1.2.3.4', 'x', '::1'],
  'access-control-request-method': ['POST', 'X'],
  'access-control-request-headers': ['content-type', 'a, b\tc', ''],
};

/** What a header may have: no line may end in it, or the request would be another one. */
const fieldOf = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replaceAll(/[^\x20-\x7e\x80-\xff]/g, '')
    .slice(0, 8_000);

const mutateHeaders = (headers: HttpInput['headers'], draw: Draw): HttpInput['headers'] => {
  const name = draw.pick([...Object.keys(headers), ...Object.keys(HEADERS)]);
  if (draw.chance(25)) return Object.fromEntries(Object.entries(headers).filter(([other]) => other !== name));
  const value = draw.chance(50) ? draw.pick(HEADERS[name] ?? ['']) : mutateText(headers[name] ?? '', draw);
  return { ...headers, [name]: fieldOf(value) };
};

const mutatePath = (path: string, draw: Draw): string => {
  const parts = path.split(/(?=[/?&=])/);
  const at = draw.below(parts.length);
  const part = parts[at] ?? '';
  const encoded = encodeURIComponent(mutateText(part.slice(1), draw).toWellFormed().slice(0, 3_000));
  const other = draw.pick([
    part + part,
    '',
    `${part}/`,
    `/${part}`,
    part.slice(0, 1) + encoded,
    `${part.slice(0, 1)}%zz`,
    `${part}%00`,
    '/..',
    '/%2e%2e',
    '?',
    ';',
    '/\u00ff',
  ]);
  return parts.with(at, other).join('') || '/';
};

const mutateBody = (body: NonNullable<HttpInput['body']>, draw: Draw): HttpInput['body'] => {
  if ('text' in body) return { text: mutateJsonText(body.text, draw) };
  if (draw.chance(85)) return { json: mutateJson(body.json, draw) };
  return { text: mutateJsonText(JSON.stringify(body.json), draw) };
};

const mutateOnce = (input: HttpInput, draw: Draw): HttpInput => {
  const dice = draw.below(100);
  if (input.body !== undefined && dice < 75) return { ...input, body: mutateBody(input.body, draw) };
  if (dice < 82) return { ...input, method: draw.pick(METHODS) };
  if (dice < 92) return { ...input, path: mutatePath(input.path, draw) };
  return { ...input, headers: mutateHeaders(input.headers, draw) };
};

export const mutateRequest = (input: HttpInput, draw: Draw): HttpInput => severalTimes(input, draw, mutateOnce);

/** Text that a request line may have. */
const target = (path: string): string => path.replaceAll(/[\s\p{Cc}]/gu, '%20').slice(0, 12_000);

const bodyText = ({ body }: HttpInput): string => {
  if (body === undefined) return '';
  return 'text' in body ? body.text : (JSON.stringify(body.json) ?? '');
};

export const bytesOf = (input: HttpInput): Buffer => {
  const body = Buffer.from(bodyText(input));
  const { host = 'localhost', ...others } = input.headers;
  const fields = Object.entries(others).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = input.body === undefined ? '' : `content-length: ${body.length}\r\n`;
  const head = `${input.method} ${target(input.path)} HTTP/1.1\r\nhost: ${host}\r\n${fields.join('')}${length}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
};

/** Sends requests, and checks what holds for every answer. */
export const sender =
  (connections: Connections, secrets: readonly string[]) =>
  async (input: HttpInput, checkAnswer: (answer: Answer) => void): Promise<void> => {
    const bytes = bytesOf(input);
    const answer = await connections.ask(bytes, input.method === 'HEAD');
    if (answer === undefined) throw new Finding('The connection was closed without an answer');
    const sent = bytes.toString('latin1');
    for (const secret of secrets)
      if (answer.body.includes(secret) && !sent.includes(secret))
        throw new Finding(`An answer tells a secret: ${secret.slice(0, 6)}…`);
    // Node.js itself refuses a head that it cannot read, without a body.
    if (answer.headers.get('connection') === 'close' && answer.body === '') return;
    if (input.method === 'HEAD' || answer.status === 204 || answer.status === 304) return;
    checkAnswer(answer);
  };

export const showRequest = (input: HttpInput): string => bytesOf(input).toString('utf8');
