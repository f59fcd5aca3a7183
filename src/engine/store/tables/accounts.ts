import { type Account, type AuthToken, LAST_USE_STEP_MS } from '../registry-store.ts';
import type { Access } from '../access.ts';
import type { Rows } from '../rows.ts';

const ACCOUNT = 'account_id, name, created_at';
const TOKEN = 'token_id, account_id, label, scope, paymaster_id, created_at, expires_at, last_used_at, revoked_at';

/**
 * Stores the times of last uses, each at most once per {@link LAST_USE_STEP_MS}. Nothing depends on these times, so on
 * PostgreSQL, the write does not wait for other writes.
 */
export const useRecorder = (rows: Rows, table: string, key: string) => {
  const USE = `UPDATE ${table} SET last_used_at = $2
    WHERE ${key} = $1 AND (last_used_at IS NULL OR last_used_at <= CAST($2 AS bigint) - ${LAST_USE_STEP_MS})`;
  const known = new Map<string, number>();
  return async (id: string, at: number): Promise<void> => {
    if (at < (known.get(id) ?? -Infinity) + LAST_USE_STEP_MS) return;
    known.set(id, at);
    // The credential does not exist, or another engine recorded a use just before this one.
    if ((await rows.run(USE, [id, at])) === 0) known.delete(id);
  };
};

export const accountStore = ({ rows, write }: Access) => ({
  async createAccount(account: Account): Promise<void> {
    await write((tx) => tx.insert('account', ACCOUNT, account));
  },
  /** Creates the account, unless any account exists. */
  createFirstAccount: (account: Account): Promise<void> =>
    write(function* (tx) {
      if ((yield* tx.get('SELECT 1 FROM account LIMIT 1')) === undefined) yield* tx.insert('account', ACCOUNT, account);
    }),
  listAccounts: () => rows.all<Account>(`SELECT ${ACCOUNT} FROM account ORDER BY created_at, place`),
  findAccount: (accountId: string) =>
    rows.get<Account>(`SELECT ${ACCOUNT} FROM account WHERE account_id = $1`, [accountId]),
  async createAuthToken(token: AuthToken, hash: string): Promise<void> {
    await write((tx) => tx.insert('auth_token', `hash, ${TOKEN}`, { ...token, hash }));
  },
  listAuthTokens: (accountId?: string) =>
    rows.all<AuthToken>(
      `SELECT ${TOKEN} FROM auth_token WHERE CAST($1 AS text) IS NULL OR account_id = $1 ORDER BY created_at, place`,
      [accountId ?? null],
    ),
  /** Marks the token revoked; if it was revoked before, keeps that time. Undefined if it does not exist. */
  revokeAuthToken: (tokenId: string, at: number): Promise<AuthToken | undefined> =>
    write((tx) =>
      tx.get<AuthToken>(
        `UPDATE auth_token SET revoked_at = coalesce(revoked_at, $1) WHERE token_id = $2 RETURNING ${TOKEN}`,
        [at, tokenId],
      ),
    ),
  /** The token with this hash, expired or not; undefined if it is revoked. */
  findAuthToken: (hash: string) =>
    rows.get<AuthToken>(`SELECT ${TOKEN} FROM auth_token WHERE hash = $1 AND revoked_at IS NULL`, [hash]),
  recordTokenUse: useRecorder(rows, 'auth_token', 'token_id'),
});
