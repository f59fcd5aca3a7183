/** SQL for accounts. The SQL in this and the other `*-rows.ts` files runs on both SQLite and PostgreSQL. */
export const ACCOUNT = 'SELECT account_id AS "accountId", name, created_at AS "createdAt" FROM account';
export const TOKEN = `SELECT token_id AS "tokenId", account_id AS "accountId", label, scope,
  paymaster_id AS "paymasterId", created_at AS "createdAt", expires_at AS "expiresAt", last_used_at AS "lastUsedAt",
  revoked_at AS "revokedAt" FROM auth_token`;
