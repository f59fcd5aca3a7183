import { z } from 'zod';

/** Shows the operator the secret parts of their URLs. */
export const wholeUrls = z
  .boolean()
  .optional()
  .describe(
    'True: URLs of webhooks with what the vault has of them, while it is unlocked; else with [secret] in its place',
  );
