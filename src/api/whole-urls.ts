import { z } from 'zod';

/** Whether whoever asks may see all of what they have set. */
export const wholeUrls = z
  .boolean()
  .optional()
  .describe(
    'True: URLs of webhooks with what the vault has of them, while it is unlocked; else with [secret] in its place',
  );
