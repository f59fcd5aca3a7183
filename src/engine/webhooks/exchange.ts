import { isUtf8 } from 'node:buffer';
import { type Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { errorOf, WebhookError } from './error.ts';
import type { OutgoingRequest } from './request.ts';
import type { LookupFunction } from 'node:net';
import type { Answer } from '../../core/webhooks/verdict.ts';

const LIMIT_BYTES = 65_536;

/** True if the server closed an idle connection just when it was reused. */
const isStale = (error: NodeJS.ErrnoException): boolean => error.code === 'ECONNRESET' || error.code === 'EPIPE';

export interface ExchangeOptions {
  readonly agent: Agent;
  readonly lookup: LookupFunction;
  /** Ends the exchange. Its reason then becomes the error. */
  readonly signal: AbortSignal;
  /** Called when a connection has been established, and when a new one is needed. */
  readonly connected?: (isConnected: boolean) => void;
  /** Maximum bytes read of the response body. Default: {@link LIMIT_BYTES}. */
  readonly limitBytes?: number;
}

/**
 * Sends one request and reads its response. Redirects are not followed. Never rejects: an error becomes the `error` of
 * the result, which contains whatever arrived before.
 */
export const exchange = (outgoing: Omit<OutgoingRequest, 'shownUrl'>, options: ExchangeOptions): Promise<Answer> =>
  new Promise((resolve) => {
    const { url, method, headers, body } = outgoing;
    const { agent, lookup, signal, connected, limitBytes = LIMIT_BYTES } = options;
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(url, { method, headers, agent, lookup });
    const chunks: Buffer[] = [];
    let size = 0;
    let response: IncomingMessage | undefined;
    let ended = false;

    /** Ends the exchange. Only the first call counts. */
    const end = (result: () => Answer | Promise<Answer>): void => {
      if (ended) return;
      ended = true;
      signal.removeEventListener('abort', abort);
      resolve(result());
    };
    const answer = (error?: WebhookError): Answer => {
      if (error) request.destroy();
      const bytes = Buffer.concat(chunks).subarray(0, limitBytes);
      // Invalid bytes are replaced in the record. The replacement must not turn the text into valid JSON (RFC 8259,
      // 8.1).
      const found = error ?? (isUtf8(bytes) ? undefined : new WebhookError('WEBHOOK_NOT_JSON'));
      return {
        ...(response?.statusCode !== undefined && { status: response.statusCode }),
        headers: response?.headers ?? {},
        text: new TextDecoder().decode(bytes),
        ...(found && { error: found }),
      };
    };
    const fail = (error: NodeJS.ErrnoException): void => {
      const again = request.reusedSocket && !response && isStale(error);
      end(() => (again ? exchange(outgoing, options) : answer(errorOf(error))));
    };
    const abort = (): void => fail(signal.reason as Error);

    request.on('socket', (socket) => {
      connected?.(!socket.connecting);
      if (socket.connecting) socket.once('connect', () => connected?.(true));
    });
    request.on('response', (incoming) => {
      response = incoming;
      incoming.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > limitBytes) fail(new WebhookError('WEBHOOK_TOO_LARGE', { limitBytes }));
      });
      incoming.on('end', () => end(() => answer()));
      incoming.on('error', fail);
    });
    request.on('error', fail);
    // A protocol switch (status 101) ends a request without an error.
    request.on('close', () => {
      if (!response) fail(new WebhookError('WEBHOOK_NOT_HTTP', { detail: 'there was no response' }));
    });
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    else request.end(body);
  });
