import { z } from 'zod';

/** Whether the operator wants to see the secret parts of their URLs. */
export const wholeUrls = z
  .boolean()
  .optional()
  .describe(
    'True: webhook URLs including the secrets from the vault, while it is unlocked; otherwise with [secret] in place of the secrets',
  );
