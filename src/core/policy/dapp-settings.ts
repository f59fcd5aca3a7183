import { z } from 'zod';

/** Bounds of a DApp's longest `expiryDuration`, in seconds. The least is what a request gets by default. */
export const maxExpiry = { least: 300, most: 86_400, default: 3_600 } as const;

/** `*`, or scheme, host and port as in the Origin header; extensions and apps have schemes of their own. */
export const origin = z
  .string()
  .max(300)
  .regex(
    /^(?:[*]|[a-z][a-z0-9+.-]*:\/\/[^\s/?#@*\p{Cc}\p{Cs}]+\/?)$/iu,
    'must be * or an origin such as https://app.example, without a path',
  );
