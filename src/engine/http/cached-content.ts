import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context } from 'koa';
import { turnOf } from './turns.ts';

/** Content that many responses share as a single copy, even if clients read it slowly. */
export interface CachedContent {
  readonly plain: Buffer;
  readonly compressed: Buffer | undefined;
  readonly digest: string;
}

const compress = promisify(gzip);

export const keepContent = async (plain: Buffer, isCompressed = false): Promise<CachedContent> => ({
  plain,
  compressed: isCompressed ? undefined : await compress(plain),
  digest: createHash('sha256').update(plain).digest('base64url'),
});

/** Answers with the content, or with 304 if the client has it. The caller sets `Content-Type`. */
export const sendCached = async (context: Context, { plain, compressed, digest }: CachedContent): Promise<void> => {
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
