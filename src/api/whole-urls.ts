import { z } from 'zod';

/** Whether the operator wants to see the secret parts of their URLs. */
export const wholeUrls = z
  .boolean()
  .optional()
  .describe(
    'True: URLs of webhooks with what the vault has of them, while it is unlocked; else with [secret] in its place',
  );
