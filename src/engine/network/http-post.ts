import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type ResolveName, socketLookup } from './names.ts';
import { type Network, systemNetwork } from './network.ts';

export interface PostRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Aborts the request, whose promise then rejects. */
  readonly signal: AbortSignal;
  readonly mostBytes: number;
}

export interface PostAnswer {
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/**
 * Posts to an http or https URL that contains no user info.
 *
 * @throws RangeError if the response is larger than `mostBytes`
 * @throws Error if the response is incomplete, or if it is a redirect, which is never followed
 */
export type Post = (url: URL, request: PostRequest) => Promise<PostAnswer>;

/** Unused connections are closed after this time, which is shorter than on most servers. */
const IDLE_MS = 4_000;

const bodyOf = async (response: IncomingMessage, mostBytes: number): Promise<Buffer> => {
  const isZipped = response.headers['content-encoding'] === 'gzip';
  // An error in the pipeline also destroys its last stream, so the reader sees it.
  const stream = isZipped ? pipeline(response, createGunzip(), () => undefined) : response;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) throw new RangeError('The answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/**
 * Posts requests, and keeps connections open for a while. Resolves addresses with `resolve`, never with getaddrinfo.
 */
export const createPost = (resolve: ResolveName, network: Pick<Network, 'agents'> = systemNetwork): Post => {
  const agents = network.agents({ keepAlive: true, timeout: IDLE_MS, lookup: socketLookup(resolve) });

  const answerTo = (url: URL, { headers, body, signal }: PostRequest): Promise<IncomingMessage> =>
    new Promise((answer, reject) => {
      const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
      const length = String(Buffer.byteLength(body));
      const options = {
        method: 'POST',
        agent: agents.of(url),
        headers: { ...headers, 'accept-encoding': 'gzip', 'content-length': length },
        signal,
      };
      const request = send(url, options, answer);
      request.on('error', (error: NodeJS.ErrnoException) => {
        // The server closed the idle connection just when it was reused.
        const isStale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        if (isStale && !signal.aborted) answer(answerTo(url, { headers, body, signal, mostBytes: 0 }));
        else reject(error);
      });
      request.end(body);
    });

  return async (url, request) => {
    const response = await answerTo(url, request);
    const { statusCode = 0, headers } = response;
    try {
      if (statusCode >= 300 && statusCode <= 399) throw new Error(`A redirect (status ${statusCode})`);
      return { headers, body: await bodyOf(response, request.mostBytes) };
    } catch (error) {
      response.destroy();
      throw error;
    }
  };
};
