import type { Clock, Entropy } from '../base/clock.ts';
import type { ApiKey } from '../store/registry-store.ts';

/** 9 random url-safe characters, a dot and a UUID v4. */
export const newApiKey = (entropy: Entropy): string =>
  `${Buffer.from(entropy.bytes(7)).toString('base64url').slice(0, 9)}.${entropy.uuid()}`;

export const newKey = (
  { entropy, clock }: { entropy: Entropy; clock: Clock },
  paymasterId: string,
  label: string,
): ApiKey => ({
  keyId: entropy.uuid(),
  paymasterId,
  apiKey: newApiKey(entropy),
  label,
  createdAt: clock.now(),
  lastUsedAt: null,
  revokedAt: null,
});
