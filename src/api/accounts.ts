import { z } from 'zod';
import { id, name } from '../shared/schema/text.ts';
import { procedure } from './procedure.ts';

const account = z.strictObject({ accountId: z.string(), name: z.string(), createdAt: z.number() });
const scope = z
  .enum(['read', 'manage', 'dapp'])
  .describe('read: may read; manage: may read and change; dapp: may read and change only one DApp');
const token = z.strictObject({
  tokenId: z.string(),
  accountId: z.string(),
  label: z.string(),
  scope,
  paymasterId: z.string().nullable().describe('The DApp of a token with the scope dapp; null for other scopes'),
  createdAt: z.number(),
  expiresAt: z.number().nullable().describe('Time from which the token is refused, epoch ms; null: never'),
  lastUsedAt: z
    .number()
    .nullable()
    .describe('Time of the last use, up to a minute too early, epoch ms; null: never used'),
  revokedAt: z.number().nullable(),
});

export const accountProcedures = {
  'accounts.create': procedure({ summary: 'Create an account', input: z.strictObject({ name }), output: account }),
  'accounts.list': procedure({ summary: 'List accounts', output: z.array(account) }),
  'authTokens.create': procedure({
    summary: 'Create an auth token. Only this answer shows it',
    input: z.strictObject({
      accountId: id.optional(),
      label: name.optional(),
      scope: scope.optional(),
      paymasterId: id.optional().describe('The DApp for the scope dapp, which is the default scope if a DApp is given'),
      expiresAt: z.int().positive().optional().describe('Expiry, epoch ms; absent: it does not expire'),
    }),
    output: token
      .pick({ tokenId: true, accountId: true, label: true, scope: true, paymasterId: true, expiresAt: true })
      .extend({ authToken: z.string() }),
    errors: ['ACCOUNT_NOT_FOUND', 'PAYMASTER_NOT_FOUND'],
  }),
  'authTokens.list': procedure({
    summary: 'List auth tokens, without the tokens themselves',
    input: z.strictObject({ accountId: id.optional() }),
    output: z.array(token),
    errors: ['ACCOUNT_NOT_FOUND'],
  }),
  'authTokens.revoke': procedure({
    summary: 'Revoke an auth token',
    input: z.strictObject({ tokenId: id }),
    output: token,
    errors: ['AUTH_TOKEN_NOT_FOUND'],
  }),
};
