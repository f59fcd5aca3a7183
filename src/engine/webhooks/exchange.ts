import { isUtf8 } from 'node:buffer';
import { type Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { faultOf, WebhookFault } from './fault.ts';
import type { OutgoingRequest } from './request.ts';
import type { LookupFunction } from 'node:net';
import type { Answer } from '../../core/webhooks/verdict.ts';

/** The most that is read of the body of a webhook's answer, in bytes. */
const LIMIT_BYTES = 65_536;

/** The receiver closed an idle connection just when it was used again. */
const isStale = (error: NodeJS.ErrnoException): boolean => error.code === 'ECONNRESET' || error.code === 'EPIPE';

/** How an exchange is made. */
export interface ExchangeOptions {
  readonly agent: Agent;
  /** Finds the addresses that a new connection may lead to. */
  readonly lookup: LookupFunction;
  /** Its reason is the fault when it ends the exchange. */
  readonly signal: AbortSignal;
  /** Is told whether there is a connection: once there is one, and where another one must be made. */
  readonly connected?: (isConnected: boolean) => void;
  /** The most that is read of the answer's body. Default: {@link LIMIT_BYTES}. */
  readonly limitBytes?: number;
}

/**
 * Sends one request and reads its answer; redirects are not followed. Never rejects: what went wrong is the answer's
 * `fault`, beside whatever had arrived until then.
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

    /** The first end counts. */
    const end = (result: () => Answer | Promise<Answer>): void => {
      if (ended) return;
      ended = true;
      signal.removeEventListener('abort', abort);
      resolve(result());
    };
    const answer = (fault?: WebhookFault): Answer => {
      if (fault) request.destroy();
      const bytes = Buffer.concat(chunks).subarray(0, limitBytes);
      // Decoded for the record with its bad bytes replaced, which must not make JSON of it (RFC 8259, 8.1).
      const found = fault ?? (isUtf8(bytes) ? undefined : new WebhookFault('WEBHOOK_NOT_JSON'));
      return {
        ...(response?.statusCode !== undefined && { status: response.statusCode }),
        headers: response?.headers ?? {},
        text: new TextDecoder().decode(bytes),
        ...(found && { fault: found }),
      };
    };
    const fail = (error: NodeJS.ErrnoException): void => {
      const again = request.reusedSocket && !response && isStale(error);
      end(() => (again ? exchange(outgoing, options) : answer(faultOf(error))));
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
        if (size > limitBytes) fail(new WebhookFault('WEBHOOK_TOO_LARGE', { limitBytes }));
      });
      incoming.on('end', () => end(() => answer()));
      incoming.on('error', fail);
    });
    request.on('error', fail);
    // A switch of protocols (status 101) ends a request without an error.
    request.on('close', () => {
      if (!response) fail(new WebhookFault('WEBHOOK_NOT_HTTP', { detail: 'there was no response' }));
    });
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    else request.end(body);
  });
