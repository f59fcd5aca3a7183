import { ACCOUNT, TOKEN } from '../account-rows.ts';
import type { Account, AccountStore, AuthToken } from '../registry-store.ts';
import { createLastUses } from './last-uses.ts';
import type { Rows } from './rows.ts';
import type { Writer } from './writer.ts';

const INSERT_TOKEN = `INSERT INTO auth_token (token_id, account_id, hash, label, scope, paymaster_id, created_at, expires_at,
    last_used_at, revoked_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;

const insertAccount = async (tx: Rows, { accountId, name, createdAt }: Account): Promise<void> => {
  await tx.run('INSERT INTO account (account_id, name, created_at) VALUES ($1, $2, $3)', [accountId, name, createdAt]);
};

export const accountStore = ({ rows, writer }: { readonly rows: Rows; readonly writer: Writer }): AccountStore => ({
  createAccount: (account) => writer.run((tx) => insertAccount(tx, account)),
  createFirstAccount: (account) =>
    writer.run(async (tx) => {
      if ((await tx.get('SELECT 1 FROM account LIMIT 1')) === undefined) await insertAccount(tx, account);
    }),
  listAccounts: () => rows.all<Account>(`${ACCOUNT} ORDER BY created_at, place`),
  findAccount: (accountId) => rows.get<Account>(`${ACCOUNT} WHERE account_id = $1`, [accountId]),
  createAuthToken: (token, hash) =>
    writer.run(async (tx) => {
      await tx.run(INSERT_TOKEN, [
        token.tokenId,
        token.accountId,
        hash,
        token.label,
        token.scope,
        token.paymasterId,
        token.createdAt,
        token.expiresAt,
        token.lastUsedAt,
        token.revokedAt,
      ]);
    }),
  listAuthTokens: (accountId) =>
    rows.all<AuthToken>(`${TOKEN} WHERE $1::text IS NULL OR account_id = $1 ORDER BY created_at, place`, [
      accountId ?? null,
    ]),
  revokeAuthToken: (tokenId, at) =>
    writer.run(async (tx) => {
      await tx.run('UPDATE auth_token SET revoked_at = coalesce(revoked_at, $1) WHERE token_id = $2', [at, tokenId]);
      return tx.get<AuthToken>(`${TOKEN} WHERE token_id = $1`, [tokenId]);
    }),
  findAuthToken: (hash) => rows.get<AuthToken>(`${TOKEN} WHERE hash = $1 AND revoked_at IS NULL`, [hash]),
  recordTokenUse: createLastUses(rows, { table: 'auth_token', key: 'token_id' }),
});
