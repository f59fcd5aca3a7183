import type Database from 'better-sqlite3';
import { ACCOUNT, TOKEN } from '../account-rows.ts';
import { type Account, type AuthToken, type AccountStore, LAST_USE_STEP_MS } from '../registry-store.ts';
import type { GroupCommit } from './group-commit.ts';

export const accountStore = (database: Database.Database, commit: GroupCommit): AccountStore => {
  const insertAccount = database.prepare('INSERT INTO account VALUES (@accountId, @name, @createdAt)');
  const accounts = database.prepare<[], Account>(`${ACCOUNT} ORDER BY created_at, rowid`);
  const account = database.prepare<[string], Account>(`${ACCOUNT} WHERE account_id = ?`);
  const insertToken = database.prepare(
    `INSERT INTO auth_token (token_id, account_id, hash, label, scope, paymaster_id, created_at, expires_at, last_used_at,
       revoked_at)
     VALUES (@tokenId, @accountId, @hash, @label, @scope, @paymasterId, @createdAt, @expiresAt, @lastUsedAt, @revokedAt)`,
  );
  const tokens = database.prepare<[{ accountId: string | null }], AuthToken>(
    `${TOKEN} WHERE @accountId IS NULL OR account_id = @accountId ORDER BY created_at, rowid`,
  );
  const revoke = database.prepare<[number, string]>(
    'UPDATE auth_token SET revoked_at = coalesce(revoked_at, ?) WHERE token_id = ?',
  );
  const token = database.prepare<[string], AuthToken>(`${TOKEN} WHERE token_id = ?`);
  const ofHash = database.prepare<[string], AuthToken>(`${TOKEN} WHERE hash = ? AND revoked_at IS NULL`);
  const recordUse = database.prepare<[{ tokenId: string; at: number }]>(
    `UPDATE auth_token SET last_used_at = @at
     WHERE token_id = @tokenId AND (last_used_at IS NULL OR last_used_at <= @at - ${LAST_USE_STEP_MS})`,
  );

  return {
    async createAccount(value) {
      insertAccount.run(value);
    },
    async createFirstAccount(value) {
      if (accounts.get() === undefined) insertAccount.run(value);
    },
    async listAccounts() {
      return accounts.all();
    },
    async findAccount(accountId) {
      return account.get(accountId);
    },
    async createAuthToken(value, hash) {
      insertToken.run({ ...value, hash });
    },
    async listAuthTokens(accountId) {
      return tokens.all({ accountId: accountId ?? null });
    },
    async revokeAuthToken(tokenId, at) {
      revoke.run(at, tokenId);
      return token.get(tokenId);
    },
    async findAuthToken(hash) {
      return ofHash.get(hash);
    },
    async recordTokenUse(tokenId, at) {
      await commit.run(() => recordUse.run({ tokenId, at }));
    },
  };
};
