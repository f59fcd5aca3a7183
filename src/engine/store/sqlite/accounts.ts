import type Database from 'better-sqlite3';
import type { Account, AuthToken, AccountStore } from '../registry-store.ts';

const ACCOUNT = 'SELECT account_id AS accountId, name, created_at AS createdAt FROM account';
const TOKEN = `SELECT token_id AS tokenId, account_id AS accountId, label, created_at AS createdAt,
  revoked_at AS revokedAt FROM auth_token`;

/** Accounts and auth tokens in SQLite. */
export const accountStore = (database: Database.Database): AccountStore => {
  const insertAccount = database.prepare('INSERT INTO account VALUES (@accountId, @name, @createdAt)');
  const accounts = database.prepare<[], Account>(`${ACCOUNT} ORDER BY created_at, rowid`);
  const account = database.prepare<[string], Account>(`${ACCOUNT} WHERE account_id = ?`);
  const insertToken = database.prepare(
    'INSERT INTO auth_token VALUES (@tokenId, @accountId, @hash, @label, @createdAt, @revokedAt)',
  );
  const tokens = database.prepare<[{ accountId: string | null }], AuthToken>(
    `${TOKEN} WHERE @accountId IS NULL OR account_id = @accountId ORDER BY created_at, rowid`,
  );
  const revoke = database.prepare<[number, string]>(
    'UPDATE auth_token SET revoked_at = coalesce(revoked_at, ?) WHERE token_id = ?',
  );
  const token = database.prepare<[string], AuthToken>(`${TOKEN} WHERE token_id = ?`);
  const accountOfToken = database.prepare<[string], { accountId: string }>(
    'SELECT account_id AS accountId FROM auth_token WHERE hash = ? AND revoked_at IS NULL',
  );

  return {
    async createAccount(value) {
      insertAccount.run(value);
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
    async accountOfToken(hash) {
      return accountOfToken.get(hash)?.accountId;
    },
  };
};
