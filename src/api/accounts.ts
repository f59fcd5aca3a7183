import { z } from 'zod';
import { id, name } from '../shared/schema/text.ts';
import { procedure } from './procedure.ts';

const account = z.strictObject({ accountId: z.string(), name: z.string(), createdAt: z.number() });
const token = z.strictObject({
  tokenId: z.string(),
  accountId: z.string(),
  label: z.string(),
  createdAt: z.number(),
  revokedAt: z.number().nullable(),
});

/** Accounts and the auth tokens that act for them. */
export const accountProcedures = {
  'accounts.create': procedure({
    summary: 'Create an account',
    input: z.strictObject({ name }),
    output: account,
  }),
  'accounts.list': procedure({
    summary: 'List accounts',
    output: z.array(account),
  }),
  'authTokens.create': procedure({
    summary: 'Create an auth token; the answer is the only time it is shown',
    input: z.strictObject({ accountId: id.optional(), label: name.optional() }),
    output: z.strictObject({ tokenId: z.string(), accountId: z.string(), label: z.string(), authToken: z.string() }),
    errors: ['ACCOUNT_NOT_FOUND'],
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
