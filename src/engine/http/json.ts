import { isAscii } from 'node:buffer';
import type { Context } from 'koa';
import { EngineError } from '../../shared/errors.ts';
import { withExactNumbers } from '../../shared/schema/decimal.ts';
import { type BodyReceiver, createBodyReceiver } from './receive-body.ts';

const JSON_TYPES = ['application/json', 'application/*+json'];
/** Deeper than any valid request. The limit bounds the recursion of code that reads a hostile request. */
const MAX_DEPTH = 64;

/**
 * Requires that a value contains at most `most` values and is not too deeply nested. @throws EngineError `VALIDATION`
 */
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

/** Reads the text of a JSON request body; empty if the request has none. */
export type ReadBody = (context: Context) => Promise<string>;

/** JSON is UTF-8 (RFC 8259); ASCII is part of it. */
const CHARSETS = ['', 'utf-8', 'utf8', 'us-ascii'];
/** Refuses invalid UTF-8 instead of replacing it, because the stored text must equal the sent text. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Decodes the text of a body. @throws EngineError `PARSE_ERROR` if it is not UTF-8 */
export const decode = (bytes: Buffer): string => {
  // ASCII text has the same bytes in both encodings, and most bodies are ASCII.
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

const checkEncoding = ({ request }: Context): void => {
  // No client of these interfaces compresses requests, and a compressed one may be a bomb.
  if (!['', 'identity'].includes(request.get('content-encoding').toLowerCase())) {
    throw new EngineError('UNSUPPORTED_MEDIA_TYPE', 'The request body must not be compressed');
  }
};

export interface BodyReaderOptions {
  /** Shared by all readers of a server, so that one limit covers all bodies. */
  readonly receiver?: BodyReceiver;
  /** True: the body may be declared as any type; some clients declare none, or text. */
  readonly isAnyType?: boolean;
}

/**
 * Accepts only uncompressed JSON in UTF-8.
 *
 * @param limitBytes largest body; a larger one is refused with `BODY_TOO_LARGE`
 */
export const createBodyReader =
  (limitBytes: number, { receiver = createBodyReceiver(), isAnyType = false }: BodyReaderOptions = {}): ReadBody =>
  async (context) => {
    // Some clients send PATCH and DELETE requests without a body as zero bytes without a content type.
    if (context.get('content-length') === '0') return '';
    if (!isAnyType) checkType(context);
    checkEncoding(context);
    // Returns text, because JSON.parse would convert amounts of money to floating-point numbers.
    return decode(await receiver.receive(context.req, limitBytes));
  };

/**
 * Parses JSON from a client without changing numbers, see {@link withExactNumbers}.
 *
 * @param mostValues maximum of members and items in total
 * @throws EngineError `PARSE_ERROR` if it is not JSON, `VALIDATION` if it is nested too deep or has too many values
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
