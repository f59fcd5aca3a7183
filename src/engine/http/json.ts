import { isAscii } from 'node:buffer';
import type { Context } from 'koa';
import { EngineError } from '../../shared/errors.ts';
import { withExactNumbers } from '../../shared/schema/decimal.ts';
import { type BodyReceiver, createBodyReceiver } from './receive-body.ts';

const JSON_TYPES = ['application/json', 'application/*+json'];
/** Deeper than any request of ours; bounds what recursive code does with a hostile one. */
const MAX_DEPTH = 64;

/** Looks through all of a value. @throws EngineError `VALIDATION` if it is nested too deep, or made of more than `most` values */
const checkShape = (value: unknown, most: number): void => {
  let left = most;
  const visit = (visited: unknown, levels: number): void => {
    if (typeof visited !== 'object' || visited === null) return;
    if (levels === 0) throw new EngineError('VALIDATION', `The request is nested deeper than ${MAX_DEPTH} levels`);
    const children: unknown[] = Array.isArray(visited) ? visited : Object.values(visited);
    left -= children.length;
    if (left < 0) throw new EngineError('VALIDATION', `The request has more than ${most} members and items`);
    for (const child of children) visit(child, levels - 1);
  };
  visit(value, MAX_DEPTH);
};

/** Reads the text of a request's JSON body; it is empty if the request has none. */
export type ReadBody = (context: Context) => Promise<string>;

/** JSON is UTF-8 (RFC 8259); ASCII is part of it. */
const CHARSETS = ['', 'utf-8', 'utf8', 'us-ascii'];
/** Refuses bytes that are not UTF-8 instead of replacing them: what is kept must be what was sent. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

const decode = (bytes: Buffer): string => {
  // Nothing but ASCII, as most bodies are, reads the same in both.
  if (isAscii(bytes)) return bytes.toString('latin1');
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new EngineError('PARSE_ERROR', 'The request body is not UTF-8', {}, { cause: error });
  }
};

const checkType = ({ request }: Context): void => {
  if (request.is(JSON_TYPES) === false) throw new EngineError('UNSUPPORTED_MEDIA_TYPE');
  if (!CHARSETS.includes(request.charset.toLowerCase())) {
    throw new EngineError('UNSUPPORTED_MEDIA_TYPE', 'The request body must be JSON in UTF-8');
  }
};

const checkEncoding = (context: Context): void => {
  const { request } = context;
  // What nearly all clients send needs no parsing.
  if (request.get('content-type') !== 'application/json') checkType(context);
  // No client of these interfaces compresses its requests, and a compressed one may be a bomb.
  if (!['', 'identity'].includes(request.get('content-encoding').toLowerCase())) {
    throw new EngineError('UNSUPPORTED_MEDIA_TYPE', 'The request body must not be compressed');
  }
};

/**
 * A reader that takes JSON bodies only: in UTF-8, not compressed.
 *
 * @param limitBytes largest body; a larger one is refused with `BODY_TOO_LARGE`
 * @param receiver that of all readers of a server, so that their bodies are bounded together
 */
export const createBodyReader =
  (limitBytes: number, receiver: BodyReceiver = createBodyReceiver()): ReadBody =>
  async (context) => {
    // Clients send PATCH and DELETE without a body as one of no bytes and no type.
    if (context.get('content-length') === '0') return '';
    checkEncoding(context);
    // The text as it is: numbers that are money must not pass through JSON.parse as floats.
    return decode(await receiver.receive(context.req, limitBytes));
  };

/**
 * Reads JSON from outside: no number is altered, see {@link withExactNumbers}.
 *
 * @param mostValues how many members and items all of it may have
 * @throws EngineError `PARSE_ERROR` if it is no JSON, `VALIDATION` if it is nested too deep or made of too many values
 */
export const readJson = (text: string, mostValues = Infinity): unknown => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new EngineError('PARSE_ERROR', undefined, {}, { cause: error });
  }
  checkShape(value, mostValues);
  return withExactNumbers(text, value);
};
