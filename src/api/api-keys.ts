import { z } from 'zod';
import { id, name } from '../shared/schema/text.ts';
import { procedure } from './procedure.ts';

const apiKey = z.strictObject({
  keyId: z.string(),
  paymasterId: z.string(),
  apiKey: z.string(),
  label: z.string(),
  createdAt: z.number(),
  lastUsedAt: z
    .number()
    .nullable()
    .describe('Time of the last use, up to a minute too early, epoch ms; null: never used'),
  revokedAt: z.number().nullable(),
});

/** API keys of DApps. Each key works until it is revoked, so that keys can be replaced without an outage. */
export const apiKeyProcedures = {
  'apiKeys.create': procedure({
    summary: 'Create another API key for a DApp. The others stay valid. Where only one key is shown, it is the new one',
    input: z.strictObject({ paymasterId: id, label: name.optional() }),
    output: apiKey,
    errors: ['PAYMASTER_NOT_FOUND'],
  }),
  'apiKeys.list': procedure({
    summary: 'List the API keys of a DApp, including revoked keys, oldest first',
    input: z.strictObject({ paymasterId: id }),
    output: z.array(apiKey),
    errors: ['PAYMASTER_NOT_FOUND'],
  }),
  'apiKeys.revoke': procedure({
    summary: 'Revoke an API key, which Gasdesk then refuses at once. The last key of a DApp cannot be revoked',
    input: z.strictObject({ paymasterId: id, keyId: id }),
    output: apiKey,
    errors: ['PAYMASTER_NOT_FOUND', 'API_KEY_NOT_FOUND', 'LAST_API_KEY'],
  }),
};
