import { isIP } from 'node:net';
import type { Clock } from '../base/clock.ts';
import type { ResolveName } from '../network/names.ts';
import { type Network, systemNetwork } from '../network/network.ts';
import { guardedLookup, requireCallable } from './address-guard.ts';
import { createCallSlots } from './call-slots.ts';
import { exchange } from './exchange.ts';
import { WebhookError } from './error.ts';
import { type OutgoingRequest, outgoingRequest, type WebhookRequest } from './request.ts';
import { hideInLocation } from '../../core/webhooks/hidden-credentials.ts';
import type { Answer } from '../../core/webhooks/verdict.ts';
import { type WebhookResponse, responseVerdict } from '../../core/webhooks/webhook-response.ts';

/**
 * Number of calls that may wait for each running call: enough for a burst, but not for a backlog that takes longer than
 * the timeout.
 */
const WAITING_PER_SLOT = 4;
/** Codes that show that the receiver is up. */
const VERDICTS: ReadonlySet<string> = new Set(['WEBHOOK_VERIFIED', 'WEBHOOK_DENIED']);
/** Idle connections are closed after this time, which is longer than any call's timeout. */
const IDLE_MS = 60_000;

export interface DelivererOptions {
  readonly clock: Clock;
  readonly resolver: ResolveName;
  /** Default: that of the machine. */
  readonly network?: Pick<Network, 'agents'>;
  readonly allowPrivate: boolean;
  /** Total time for a call, including its wait for a slot. Read for each call. */
  readonly timeoutMs: () => number;
  /** Simultaneous calls per webhook. A webhook that does not respond cannot delay others on its host. */
  readonly maxConcurrent: number;
  /** Called with the result of each call. */
  readonly answered?: (response: WebhookResponse) => void;
  /** How long this thread has been busy since it started, in ms. Default: measured from its event loop. */
  readonly busyMs?: () => number;
}

interface AnsweredCall extends Answer {
  readonly waited?: boolean;
  /** Time until the connection was established, ms. */
  readonly connectedAfterMs?: number | undefined;
}

export interface Deliverer {
  /**
   * Calls one webhook. Errors of the receiver are part of the result: `responseVerdict` turns it into a verdict.
   *
   * @throws Error if the deliverer is closed, even while the call runs
   */
  readonly deliver: (call: WebhookRequest) => Promise<WebhookResponse>;
  readonly close: () => void;
}

/**
 * A deliverer with its own connections, which it keeps open between calls. It ignores proxies set in the environment,
 * because it could not check the destination address behind a proxy.
 */
export const createDeliverer = (options: DelivererOptions): Deliverer => {
  const { clock, resolver, allowPrivate, maxConcurrent, network = systemNetwork } = options;
  const { busyMs = () => performance.eventLoopUtilization().active } = options;
  const connections = { keepAlive: true, maxFreeSockets: maxConcurrent, timeout: IDLE_MS };
  // Set explicitly, so that no environment variable can disable the check of certificates.
  const agents = network.agents({ ...connections, rejectUnauthorized: true });
  const slots = createCallSlots(maxConcurrent, maxConcurrent * WAITING_PER_SLOT);
  const inFlight = new Set<AbortController>();
  /** Time of the last verdict from each receiver whose outages may count as approval; monotonic ms. */
  const lastVerdicts = new Map<string, number>();
  let closed = false;

  const exchangeInSlot = async (
    { webhookId, dapp }: WebhookRequest,
    outgoing: OutgoingRequest,
    signal: AbortSignal,
    timeoutMs: number,
  ): Promise<AnsweredCall> => {
    const { url } = outgoing;
    try {
      // Sockets look up only names. `URL` puts IPv6 addresses in brackets, and normalises IPv4 addresses to decimals.
      const address = url.hostname.replace(/^\[|\]$/g, '');
      if (isIP(address) !== 0) requireCallable(address, allowPrivate);
      const agent = agents.of(url);
      const start = clock.monotonic();
      return await slots.run(webhookId, signal, async (waited) => {
        // It is too late to start the call: the receiver would be blamed for this engine's delay.
        if (clock.monotonic() - start > timeoutMs / 2)
          throw new WebhookError('WEBHOOK_BUSY', { atOnce: maxConcurrent });
        let connectedAfterMs: number | undefined;
        const connected = (is: boolean): void => void (connectedAfterMs = is ? clock.monotonic() - start : undefined);
        const lookup = guardedLookup(resolver, allowPrivate, dapp);
        const answer = await exchange(outgoing, { agent, lookup, signal, connected });
        const inVain = answer.error?.code === 'WEBHOOK_TIMEOUT' && connectedAfterMs === undefined;
        const error = inVain ? new WebhookError('WEBHOOK_NOT_REACHED', { timeoutMs }) : answer.error;
        return { ...answer, error, waited, connectedAfterMs };
      });
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      return { headers: {}, text: '', error: error };
    }
  };

  const requireOpen = (): void => {
    if (closed) throw new Error('The deliverer of webhooks is closed');
  };

  const exchangeInTime = async (
    request: WebhookRequest,
    outgoing: OutgoingRequest,
    timeoutMs: number,
  ): Promise<AnsweredCall> => {
    requireOpen();
    const call = new AbortController();
    inFlight.add(call);
    const timeOut = (): void => call.abort(new WebhookError('WEBHOOK_TIMEOUT', { timeoutMs }));
    // Responses that arrived in time while this thread was busy are read first.
    const cancel = clock.setTimer(timeoutMs, () => void setImmediate(timeOut));
    try {
      const answer = await exchangeInSlot(request, outgoing, call.signal, timeoutMs);
      // A call that this engine ended must not count as an outage of the receiver.
      requireOpen();
      return answer;
    } finally {
      cancel();
      inFlight.delete(call);
    }
  };

  /**
   * Why a receiver may be up although it did not answer: an attacker may be flooding it through this engine, or the
   * engine itself may be overloaded.
   */
  const whyNoOutage = (
    { error, waited, connectedAfterMs = 0 }: AnsweredCall,
    began: { lastVerdict: number; timeoutMs: number; at: number; busyMs: number },
  ): string | undefined => {
    if (began.lastVerdict >= began.at - began.timeoutMs) return 'the receiver has just answered another call';
    if (error?.code !== 'WEBHOOK_TIMEOUT') return undefined;
    if (waited === true) return 'the call had waited for a free slot';
    if (connectedAfterMs > began.timeoutMs / 2) return 'there was no connection for most of the time-out';
    return busyMs() - began.busyMs > began.timeoutMs / 2 ? 'this machine was busy for most of the time-out' : undefined;
  };

  return {
    async deliver(call) {
      const { webhookId, failOpen = false } = call;
      const start = clock.monotonic();
      const began = { at: start, timeoutMs: options.timeoutMs(), busyMs: failOpen ? busyMs() : 0 };
      const outgoing = outgoingRequest(call, clock.now());
      const answer = await exchangeInTime(call, outgoing, began.timeoutMs);
      const lastVerdict = lastVerdicts.get(webhookId) ?? -Infinity;
      const notAnOutage = failOpen ? whyNoOutage(answer, { ...began, lastVerdict }) : undefined;
      const { status, headers, text, error } = answer;
      const { location, 'content-encoding': encoding } = headers;
      const response: WebhookResponse = {
        call: {
          webhookId,
          url: outgoing.shownUrl,
          method: outgoing.method,
          request: { headers: withoutCredentials(outgoing.headers), body: outgoing.body },
          ...(status !== undefined && { status }),
          response: text,
        },
        host: outgoing.url.host,
        failOpen,
        headers: {
          ...(location !== undefined && { location: hideInLocation(location) }),
          ...(encoding !== undefined && { 'content-encoding': encoding }),
        },
        ...(error !== undefined && { error: { code: error.code, evidence: error.evidence } }),
        ...(notAnOutage !== undefined && { notAnOutage }),
        micros: Math.round((clock.monotonic() - start) * 1000),
      };
      if (failOpen && VERDICTS.has(responseVerdict(response).code)) lastVerdicts.set(webhookId, clock.monotonic());
      options.answered?.(response);
      return response;
    },
    close() {
      closed = true;
      for (const call of inFlight) call.abort(new Error('closed'));
      agents.destroy();
    },
  };
};

const withoutCredentials = (headers: OutgoingRequest['headers']): OutgoingRequest['headers'] =>
  headers['authorization'] === undefined ? headers : { ...headers, authorization: '[secret]' };
