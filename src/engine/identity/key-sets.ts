import { isIP } from 'node:net';
import { type PublicKey, publicKeysIn } from '../../core/identity/public-keys.ts';
import type { Clock } from '../base/clock.ts';
import type { ResolveName } from '../network/names.ts';
import { type Network, systemNetwork } from '../network/network.ts';
import { guardedLookup, requireCallable } from '../webhooks/address-guard.ts';
import { WebhookError } from '../webhooks/error.ts';
import { exchange } from '../webhooks/exchange.ts';

/** Keys are read again after this time, so that a key which the issuer withdraws is soon refused. */
const RENEW_MS = 600_000;
/** Keys are used for this time at most if the issuer cannot be reached meanwhile. */
const LONGEST_MS = 86_400_000;
/** An issuer is asked at most this often, whatever tokens clients send. */
const RETRY_MS = 30_000;

/** The keys of an issuer cannot be had. `message` says why, to be used after a colon. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}

/** The public keys that issuers publish, kept for a while. */
export interface KeySets {
  /** The keys at a URL, not older than a day. @throws KeysUnavailable */
  keysAt(url: string): Promise<readonly PublicKey[]>;
  /** The same after asking the issuer again, unless it was asked within the last 30 seconds. @throws KeysUnavailable */
  renewedKeysAt(url: string): Promise<readonly PublicKey[]>;
  close(): void;
}

export interface KeySetsOptions {
  readonly clock: Pick<Clock, 'monotonic' | 'setTimer'>;
  readonly resolver: ResolveName;
  /** Default: that of the machine. */
  readonly network?: Pick<Network, 'agents'>;
  readonly allowPrivate: boolean;
  /** Total time for a request. Read for each request. */
  readonly timeoutMs: () => number;
}

const reasonOf = ({ code, evidence }: Pick<WebhookError, 'code' | 'evidence'>): string => {
  if (code === 'WEBHOOK_ADDRESS_REFUSED')
    return `its address ${String(evidence.address)} is ${String(evidence.range)}, which Gasdesk does not call`;
  if (code === 'WEBHOOK_TIMEOUT') return `there was no answer within ${String(evidence.timeoutMs)} ms`;
  if (code === 'WEBHOOK_TOO_LARGE') return 'the answer is too large';
  return String(evidence.detail ?? 'the answer is not HTTP with JSON');
};

const keysIn = (text: string): readonly PublicKey[] => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The error is reported below.
  }
  const keys = publicKeysIn(value);
  if (keys === undefined) throw new KeysUnavailable('the answer is no JWKS with public keys for RS256, ES256 or EdDSA');
  return keys;
};

interface Known {
  keys?: readonly PublicKey[];
  /** Monotonic ms. */
  readAt: number;
  askedAt: number;
  failure?: KeysUnavailable | undefined;
  reading?: Promise<void> | undefined;
}

/** Fetches the keys of issuers when they are needed, and keeps them. */
export const createKeySets = (options: KeySetsOptions): KeySets => {
  const { clock, resolver, allowPrivate, timeoutMs, network = systemNetwork } = options;
  const known = new Map<string, Known>();
  const inFlight = new Set<AbortController>();
  // Set explicitly, so that no environment variable can disable the check of certificates.
  const agents = network.agents({ rejectUnauthorized: true });
  const lookup = guardedLookup(resolver, allowPrivate, undefined);

  const request = async (url: URL): Promise<string> => {
    const call = new AbortController();
    const limit = timeoutMs();
    const cancel = clock.setTimer(limit, () => call.abort(new WebhookError('WEBHOOK_TIMEOUT', { timeoutMs: limit })));
    inFlight.add(call);
    try {
      // Sockets look up only names.
      const address = url.hostname.replace(/^\[|\]$/g, '');
      if (isIP(address) !== 0) requireCallable(address, allowPrivate);
      const agent = agents.of(url);
      const headers = { accept: 'application/json', 'user-agent': 'Gasdesk' };
      const { status, text, error } = await exchange(
        { url, method: 'GET', headers, body: '' },
        { agent, lookup, signal: call.signal },
      );
      if (error !== undefined) throw new KeysUnavailable(reasonOf(error));
      if (status !== 200) throw new KeysUnavailable(`the answer has the HTTP status ${String(status)}`);
      return text;
    } catch (error) {
      if (error instanceof WebhookError) throw new KeysUnavailable(reasonOf(error));
      throw error;
    } finally {
      cancel();
      inFlight.delete(call);
    }
  };

  const read = async (url: string, one: Known): Promise<void> => {
    one.askedAt = clock.monotonic();
    try {
      one.keys = keysIn(await request(new URL(url)));
      one.readAt = clock.monotonic();
      one.failure = undefined;
    } catch (error) {
      if (!(error instanceof KeysUnavailable)) throw error;
      one.failure = error;
    } finally {
      one.reading = undefined;
    }
  };

  const at = (url: string): Known => {
    const one = known.get(url) ?? { readAt: -Infinity, askedAt: -Infinity };
    known.set(url, one);
    return one;
  };

  /** Asks the issuer, unless it has just been asked. One request serves all who wait. */
  const renew = (url: string, one: Known): Promise<void> | undefined => {
    if (one.reading === undefined && clock.monotonic() - one.askedAt >= RETRY_MS) one.reading = read(url, one);
    return one.reading;
  };

  const usable = ({ keys, readAt }: Known): readonly PublicKey[] | undefined =>
    clock.monotonic() - readAt < LONGEST_MS ? keys : undefined;

  const unavailable = ({ failure }: Known): KeysUnavailable =>
    failure ?? new KeysUnavailable('the keys are more than a day old');

  return {
    async keysAt(url) {
      const one = at(url);
      const reading = clock.monotonic() - one.readAt < RENEW_MS ? undefined : renew(url, one);
      // No one waits while the keys that are known may still be used.
      if (usable(one) === undefined) await reading;
      const keys = usable(one);
      if (keys === undefined) throw unavailable(one);
      return keys;
    },
    async renewedKeysAt(url) {
      const one = at(url);
      await renew(url, one);
      const keys = usable(one);
      if (keys === undefined || one.failure !== undefined) throw unavailable(one);
      return keys;
    },
    close() {
      for (const call of inFlight)
        call.abort(new WebhookError('WEBHOOK_UNREACHABLE', { detail: 'Gasdesk is stopping' }));
      agents.destroy();
    },
  };
};
