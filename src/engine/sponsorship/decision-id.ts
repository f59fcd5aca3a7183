import type { Entropy } from '../base/clock.ts';

/**
 * A UUID of version 7 (RFC 9562), which begins with the time. New decisions stand side by side in the index of their ids
 * then: with random ones each touches a page of its own, which SQLite writes twice.
 */
export const newDecisionId = (now: number, entropy: Entropy): string => {
  const time = now.toString(16).padStart(12, '0');
  // The digits behind the version, the variant among them, are those of a random UUID.
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${entropy.uuid().slice(15)}`;
};
