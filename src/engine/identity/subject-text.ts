import { z } from 'zod';

/** The name of a person. Text that is not well-formed has no bytes of its own to sign or to hash. */
export const subjectText = z
  .string()
  .min(1)
  .max(256)
  .refine((text) => text.isWellFormed());
