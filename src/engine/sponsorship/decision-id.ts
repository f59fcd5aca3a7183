import type { Entropy } from '../base/clock.ts';

/**
 * A version 7 UUID (RFC 9562), which begins with the time. So new ids are adjacent in their index; each random one
 * would touch its own page, which SQLite writes twice.
 */
export const newDecisionId = (now: number, entropy: Entropy): string => {
  const time = now.toString(16).padStart(12, '0');
  // The digits after the version, including the variant, come from a random UUID.
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${entropy.uuid().slice(15)}`;
};
