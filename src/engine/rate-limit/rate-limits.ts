import { EngineError } from '../../shared/errors.ts';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../config/config.ts';
import { peerName } from './peer.ts';
import { createTokenBuckets } from './token-buckets.ts';

/**
 * Limits on the number of requests (behaviour 1.4). Each call of a method counts one request.
 *
 * @throws EngineError `RATE_LIMITED` if the limit is exceeded
 */
export interface RateLimits {
  /** Counts a request from an IP address. Requests from this machine are not limited. */
  peer(remoteAddress: string): void;
  apiKey(apiKey: string): void;
  /** Counts a request for a smart account, separately per API key. */
  sender(apiKey: string, sender: string): void;
  /** Counts a request that is passed on to a bundler, in addition to {@link apiKey}. */
  forwarded(apiKey: string): void;
}

/** Longer than any API key. Longer client input is not kept. */
const MAX_NAME = 100;

/** Reads the limits from the settings for each request. */
export const createRateLimits = (
  config: Pick<Config, 'rateLimitPerIp' | 'rateLimitPerKey' | 'rateLimitPerSender' | 'rateLimitForwarded'>,
  clock: Clock,
): RateLimits => {
  const peers = createTokenBuckets(() => config.rateLimitPerIp, clock);
  const keys = createTokenBuckets(() => config.rateLimitPerKey, clock);
  const senders = createTokenBuckets(() => config.rateLimitPerSender, clock);
  const forwarded = createTokenBuckets(() => config.rateLimitForwarded, clock);

  const check = (subject: string, waitMs: number): void => {
    if (waitMs === 0) return;
    const retryAfterSeconds = Math.ceil(waitMs / 1000);
    throw new EngineError('RATE_LIMITED', `Too many requests ${subject}. Try again in ${retryAfterSeconds} s`, {
      retryAfterSeconds,
    });
  };

  return {
    peer(remoteAddress) {
      const name = peerName(remoteAddress);
      if (name !== undefined) check('from your IP address', peers.take(name));
    },
    apiKey(apiKey) {
      check('with this API key', keys.take(apiKey.slice(0, MAX_NAME)));
    },
    sender(apiKey, sender) {
      check(`for the sender ${sender}`, senders.take(`${apiKey.slice(0, MAX_NAME)} ${sender}`));
    },
    forwarded(apiKey) {
      check('for the bundler with this API key', forwarded.take(apiKey.slice(0, MAX_NAME)));
    },
  };
};
