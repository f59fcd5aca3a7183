import { z } from 'zod';

/** Bounds for the longest `expiryDuration` that a DApp allows, in seconds. `least` is also the default of a request. */
export const maxExpiry = { least: 300, most: 86_400, default: 3_600 } as const;

/** `*`, or scheme, host and port as in an Origin header. Browser extensions and apps use their own schemes. */
export const origin = z
  .string()
  .max(300)
  .regex(
    /^(?:[*]|[a-z][a-z0-9+.-]*:\/\/[^\s/?#@*\p{Cc}\p{Cs}]+\/?)$/iu,
    'must be * or an origin such as https://app.example, without a path',
  );
