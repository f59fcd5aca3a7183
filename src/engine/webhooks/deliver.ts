import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP } from 'node:net';
import type { Clock } from '../clock.ts';
import { guardedLookup, requireCallable, type Resolver, systemResolver } from './address-guard.ts';
import { createCallSlots } from './call-slots.ts';
import { exchange } from './exchange.ts';
import { WebhookFault } from './fault.ts';
import { type OutgoingRequest, outgoingRequest, type WebhookRequest } from './request.ts';
import { type Answer, verdictOn, type WebhookVerdict } from './verdict.ts';

/** Calls that wait for a webhook, per call that may run at once: a burst, not a backlog older than the time-out. */
const WAITING_PER_SLOT = 4;
/** How long a connection is kept that nothing uses. Longer than any time-out of a call. */
const IDLE_MS = 60_000;

/** What a deliverer is made of. */
export interface DelivererOptions {
  readonly clock: Clock;
  /** Default: the operating system's. */
  readonly resolver?: Resolver;
  /** Whether webhooks may be at loopback and private addresses. */
  readonly allowPrivate: boolean;
  /** How long a call may take in all, waiting included; asked for each call. */
  readonly timeoutMs: () => number;
  /** Calls of one webhook at the same time. Each has a share of its own: one that hangs holds up no other of its host. */
  readonly maxPerHost: number;
}

/** A call that was made, as the decision's trace keeps it. */
export interface WebhookCall {
  readonly webhookId: string;
  /** As called, without user info and the values of its own query; what the data added to the query is there. */
  readonly url: string;
  readonly method: 'GET' | 'POST';
  /** As sent, without the user info of the URL. */
  readonly request: { readonly headers: Readonly<Record<string, string>>; readonly body: string };
  /** Undefined where no answer began. */
  readonly status?: number;
  /** Up to 64 KiB of the body; bytes that are not UTF-8 are replaced. */
  readonly response: string;
  readonly ms: number;
  readonly verdict: WebhookVerdict;
}

/** Asks webhooks for their verdict. */
export interface Deliverer {
  /**
   * Calls one webhook. What the receiver does wrong is in the verdict.
   *
   * @throws Error if the deliverer is closed, also when that happens during the call
   */
  readonly deliver: (call: WebhookRequest) => Promise<WebhookCall>;
  /** Ends what is under way and closes the connections. */
  readonly close: () => void;
}

/**
 * A deliverer with connections of its own, which it keeps open between calls. Proxies set in the environment are not
 * used: behind one the address that is connected to could not be checked.
 */
export const createDeliverer = (options: DelivererOptions): Deliverer => {
  const { clock, resolver = systemResolver, allowPrivate, maxPerHost } = options;
  const connections = {
    keepAlive: true,
    maxFreeSockets: maxPerHost,
    timeout: IDLE_MS,
    lookup: guardedLookup(resolver, allowPrivate),
  };
  const httpAgent = new HttpAgent(connections);
  // Said outright, so that no environment variable switches it off.
  const httpsAgent = new HttpsAgent({ ...connections, rejectUnauthorized: true });
  const slots = createCallSlots(maxPerHost, maxPerHost * WAITING_PER_SLOT);
  const underWay = new Set<AbortController>();
  let closed = false;

  const ask = async (
    webhookId: string,
    outgoing: OutgoingRequest,
    signal: AbortSignal,
    timeoutMs: number,
  ): Promise<Answer> => {
    const { url } = outgoing;
    try {
      // Sockets look up names only. A URL has IPv6 addresses in brackets, and every spelling of IPv4 in decimals.
      const address = url.hostname.replace(/^\[|\]$/g, '');
      if (isIP(address) !== 0) requireCallable(address, allowPrivate);
      const agent = url.protocol === 'https:' ? httpsAgent : httpAgent;
      const start = clock.monotonic();
      return await slots.run(webhookId, signal, () => {
        // A receiver that is given what is left of its time would be blamed for ours.
        if (clock.monotonic() - start > timeoutMs / 2) throw new WebhookFault('WEBHOOK_BUSY', { atOnce: maxPerHost });
        return exchange(outgoing, agent, signal);
      });
    } catch (error) {
      if (!(error instanceof WebhookFault)) throw error;
      return { headers: {}, text: '', fault: error };
    }
  };

  const requireOpen = (): void => {
    if (closed) throw new Error('The deliverer of webhooks is closed');
  };

  const askInTime = async (webhookId: string, outgoing: OutgoingRequest): Promise<Answer> => {
    requireOpen();
    const timeoutMs = options.timeoutMs();
    const call = new AbortController();
    underWay.add(call);
    const cancel = clock.setTimer(timeoutMs, () => call.abort(new WebhookFault('WEBHOOK_TIMEOUT', { timeoutMs })));
    try {
      const answer = await ask(webhookId, outgoing, call.signal, timeoutMs);
      // What our own end broke off says nothing of the receiver, and must not pass as its outage.
      requireOpen();
      return answer;
    } finally {
      cancel();
      underWay.delete(call);
    }
  };

  return {
    async deliver(call) {
      const start = clock.monotonic();
      const outgoing = outgoingRequest(call, clock.now());
      const answer = await askInTime(call.webhookId, outgoing);
      const verdict = verdictOn(answer, outgoing.url.host, call.failOpen ?? false);
      return {
        webhookId: call.webhookId,
        url: outgoing.shownUrl,
        method: outgoing.method,
        request: { headers: withoutCredentials(outgoing.headers), body: outgoing.body },
        ...(answer.status !== undefined && { status: answer.status }),
        response: answer.text,
        ms: clock.monotonic() - start,
        verdict,
      };
    },
    close() {
      closed = true;
      for (const call of underWay) call.abort(new Error('closed'));
      httpAgent.destroy();
      httpsAgent.destroy();
    },
  };
};

const withoutCredentials = (headers: OutgoingRequest['headers']): OutgoingRequest['headers'] =>
  headers['authorization'] === undefined ? headers : { ...headers, authorization: '[secret]' };
