import { type DappCounts, requireRoom } from '../../../core/policy/policy-bounds.ts';
import { EngineError } from '../../../shared/errors.ts';
import type { ApiKey } from '../registry-store.ts';
import type { Access, Transaction } from '../access.ts';
import type { StepRows, Steps } from '../rows.ts';
import { useRecorder } from './accounts.ts';
import { COUNTS } from './policy.ts';

const KEY = 'key_id, paymaster_id, api_key, label, created_at, last_used_at, revoked_at';
const NEWEST = `SELECT api_key FROM api_key WHERE paymaster_id = $1 AND revoked_at IS NULL
  ORDER BY created_at DESC, place DESC LIMIT 1`;

/**
 * Sets the key that is shown with the DApp to the newest key that is not revoked. @throws EngineError `LAST_API_KEY`
 */
const showNewest = function* (tx: Transaction, paymasterId: string): Steps<void> {
  const newest = yield* tx.get<{ apiKey: string }>(NEWEST, [paymasterId]);
  if (newest === undefined) throw new EngineError('LAST_API_KEY');
  yield* tx.run('UPDATE paymaster SET api_key = $1 WHERE paymaster_id = $2', [newest.apiKey, paymasterId]);
  tx.settingsChanged('other');
};

/** Another engine may still have the revoked key in its cache. No request that was made with the key may be signed. */
const refuseRevoked = (tx: Transaction, paymasterId: string): void => tx.settingsChanged({ dapp: paymasterId });

export const insertApiKey = (tx: StepRows, key: ApiKey): Steps<number> => tx.insert('api_key', KEY, key);

const create = function* (tx: Transaction, key: ApiKey): Steps<void> {
  yield* insertApiKey(tx, key);
  yield* showNewest(tx, key.paymasterId);
};

/** Each DApp has at least one key that is not revoked. */
export const apiKeyStore = ({ rows, write }: Access) => ({
  createApiKey: (key: ApiKey): Promise<void> =>
    write(function* (tx) {
      yield* create(tx, key);
      const counts = yield* tx.get<DappCounts>(COUNTS, [key.paymasterId]);
      requireRoom({ apiKeys: counts?.apiKeys ?? 0 });
    }),
  /** API keys, oldest first, including revoked keys. */
  listApiKeys: (paymasterId: string) =>
    rows.all<ApiKey>(`SELECT ${KEY} FROM api_key WHERE paymaster_id = $1 ORDER BY created_at, place`, [paymasterId]),
  /**
   * Marks the key revoked; if it was revoked before, keeps that time. Undefined if it does not exist.
   *
   * @throws EngineError `LAST_API_KEY` if the DApp would have no key left; nothing is then changed
   */
  revokeApiKey: (keyId: string, at: number): Promise<ApiKey | undefined> =>
    write(function* (tx) {
      const key = yield* tx.get<ApiKey>(`SELECT ${KEY} FROM api_key WHERE key_id = $1`, [keyId]);
      if (key?.revokedAt !== null) return key;
      yield* tx.run('UPDATE api_key SET revoked_at = $1 WHERE key_id = $2', [at, keyId]);
      yield* showNewest(tx, key.paymasterId);
      refuseRevoked(tx, key.paymasterId);
      return { ...key, revokedAt: at };
    }),
  /** Creates the key, and revokes all other keys of the DApp. */
  replaceApiKeys: (key: ApiKey): Promise<void> =>
    write(function* (tx) {
      const values = [key.createdAt, key.paymasterId];
      yield* tx.run('UPDATE api_key SET revoked_at = $1 WHERE paymaster_id = $2 AND revoked_at IS NULL', values);
      yield* create(tx, key);
      refuseRevoked(tx, key.paymasterId);
    }),
  recordKeyUse: useRecorder(rows, 'api_key', 'api_key'),
});
