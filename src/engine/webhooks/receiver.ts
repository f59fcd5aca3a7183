import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ReceivedCall, ReceiverBehaviour, ReceiverState } from '../../api/receiver.ts';
import type { Clock } from '../base/clock.ts';
import type { Secret } from '../base/secret.ts';
import { checkSignature, signedContent } from './sign.ts';

const MAX_CALLS = 20;
const MAX_STORED_BYTES = 65_536;
/** Larger than the part of a response that the engine reads. */
const TOO_LARGE_BYTES = 80_000;

/** A receiver of webhooks on this machine, for trying them. It can be made to misbehave. */
export interface Receiver {
  /** Does nothing if it is already running. */
  start(): Promise<void>;
  /** Stops it and discards the received calls. */
  stop(): Promise<void>;
  behave(behaviour: ReceiverBehaviour): void;
  /** From now on, checks signatures with this webhook's secret; without one, signatures are not checked. */
  checkWith(key: { readonly webhookId: string; readonly secret: Secret<string> } | undefined): void;
  state(): ReceiverState;
}

type Answer = (response: ServerResponse) => void;

const json =
  (status: number, body: unknown): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const answers: Readonly<Record<ReceiverBehaviour, Answer>> = {
  verify: json(200, { arePoliciesVerified: true }),
  deny: json(200, { arePoliciesVerified: false }),
  oldSpelling: json(200, { arePoliciesVerifed: true }),
  refuse: json(403, { error: 'forbidden' }),
  fail: json(500, { error: 'internal server error' }),
  notJson: (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Verified</p>'),
  // Does not answer, until the engine times out.
  hang: () => undefined,
  tooLarge: json(200, { arePoliciesVerified: true, padding: 'x'.repeat(TOO_LARGE_BYTES) }),
  redirect: (response) => response.writeHead(302, { location: '/elsewhere' }).end(),
  disconnect: (response) => response.destroy(),
};

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (size < MAX_STORED_BYTES) chunks.push(chunk);
    size += chunk.length;
  }
  return Buffer.concat(chunks).subarray(0, MAX_STORED_BYTES).toString();
};

export const createReceiver = (clock: Clock): Receiver => {
  let behaviour: ReceiverBehaviour = 'verify';
  let key: { readonly webhookId: string; readonly secret: Secret<string> } | undefined;
  let calls: readonly ReceivedCall[] = [];
  let received = 0;
  let server: Server | undefined;

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url: target = '', headers } = request;
    const body = await readBody(request);
    const now = clock.now();
    const content = signedContent({ method, target, body });
    const signature = key === undefined ? 'unchecked' : checkSignature({ secret: key.secret, content, now }, headers);
    const shown = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    received += 1;
    const call: ReceivedCall = { seq: received, at: now, method, target, headers: shown, body, signature, behaviour };
    calls = [call, ...calls].slice(0, MAX_CALLS);
    answers[behaviour](response);
  };

  return {
    async start() {
      if (server !== undefined) return;
      // A caller that disconnects early gets no response.
      const starting = createServer((request, response) => {
        receive(request, response).catch(() => response.destroy());
      });
      starting.listen(0, '127.0.0.1');
      await once(starting, 'listening');
      // For example, too many open files. Without a listener, the error would end the process.
      starting.on('error', () => undefined);
      server = starting;
    },
    async stop() {
      if (server === undefined) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      server = undefined;
      calls = [];
      await closed;
    },
    behave(next) {
      behaviour = next;
    },
    checkWith(next) {
      key = next;
    },
    state() {
      const address = server?.address() as AddressInfo | null | undefined;
      const url = address ? `http://127.0.0.1:${address.port}/` : null;
      return { url, behaviour, webhookId: key?.webhookId ?? null, calls: [...calls] };
    },
  };
};
