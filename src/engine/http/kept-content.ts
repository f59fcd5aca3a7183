import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context } from 'koa';
import { turnOf } from './turns.ts';

/** Content with which many requests are answered: one copy for all of them, however slowly they take it. */
export interface KeptContent {
  readonly plain: Buffer;
  /** Undefined where the content is compressed already. */
  readonly compressed: Buffer | undefined;
  /** A name that changes with the content. */
  readonly digest: string;
}

const compress = promisify(gzip);

/** Prepares content to be served. */
export const keepContent = async (plain: Buffer, isCompressed = false): Promise<KeptContent> => ({
  plain,
  compressed: isCompressed ? undefined : await compress(plain),
  digest: createHash('sha256').update(plain).digest('base64url'),
});

/** Answers with the content, or that the client has it already. What it is, is up to the caller (`Content-Type`). */
export const answerKept = async (context: Context, { plain, compressed, digest }: KeptContent): Promise<void> => {
  context.vary('Accept-Encoding');
  const isCompressed = compressed !== undefined && context.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (isCompressed) context.set('Content-Encoding', 'gzip');
  context.etag = isCompressed ? `${digest}-gzip` : digest;
  context.status = 200;
  if (context.fresh) {
    context.status = 304;
    return;
  }
  await turnOf(context.res);
  context.body = isCompressed ? compressed : plain;
};
