import type { Entropy } from '../base/clock.ts';

/**
 * A version 7 UUID (RFC 9562), which begins with the time. New ids are therefore adjacent in their index. With random
 * ids, each would change another page, and SQLite writes every changed page twice.
 */
export const newDecisionId = (now: number, entropy: Entropy): string => {
  const time = now.toString(16).padStart(12, '0');
  // The digits after the version, including the variant, come from a random UUID.
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${entropy.uuid().slice(15)}`;
};
