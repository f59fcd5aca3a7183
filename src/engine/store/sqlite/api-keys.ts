import type Database from 'better-sqlite3';
import { type DappCounts, requireRoom } from '../../../core/policy/policy-bounds.ts';
import { EngineError } from '../../../shared/errors.ts';
import { KEY } from '../dapp-rows.ts';
import { countsOf } from '../policy-rows.ts';
import { type ApiKey, type ApiKeyStore, LAST_USE_STEP_MS } from '../registry-store.ts';
import type { GroupCommit } from './group-commit.ts';
import type { DappCache, SettingsVersion } from './memory.ts';

/**
 * The API keys of DApps.
 *
 * @param caches `forget` is called when keys of a DApp are created or revoked, `dappChanged` when one is revoked: what
 *   was requested with it must not be signed
 */
export const apiKeyStore = (
  database: Database.Database,
  commit: GroupCommit,
  caches: DappCache & Pick<SettingsVersion, 'dappChanged'>,
): ApiKeyStore => {
  const insert = database.prepare<[ApiKey]>(
    `INSERT INTO api_key (key_id, paymaster_id, api_key, label, created_at, last_used_at, revoked_at)
     VALUES (@keyId, @paymasterId, @apiKey, @label, @createdAt, @lastUsedAt, @revokedAt)`,
  );
  const list = database.prepare<[string], ApiKey>(`${KEY} WHERE paymaster_id = ? ORDER BY created_at, rowid`);
  const find = database.prepare<[string], ApiKey>(`${KEY} WHERE key_id = ?`);
  const revokeOne = database.prepare<[number, string]>('UPDATE api_key SET revoked_at = ? WHERE key_id = ?');
  const revokeAll = database.prepare<[number, string]>(
    'UPDATE api_key SET revoked_at = ? WHERE paymaster_id = ? AND revoked_at IS NULL',
  );
  const newest = database
    .prepare<[string], string>(
      `SELECT api_key FROM api_key WHERE paymaster_id = ? AND revoked_at IS NULL
       ORDER BY created_at DESC, rowid DESC LIMIT 1`,
    )
    .pluck();
  const setShown = database.prepare<[string, string]>('UPDATE paymaster SET api_key = ? WHERE paymaster_id = ?');
  const recordUse = database.prepare<[{ apiKey: string; at: number }]>(
    `UPDATE api_key SET last_used_at = @at
     WHERE api_key = @apiKey AND (last_used_at IS NULL OR last_used_at <= @at - ${LAST_USE_STEP_MS})`,
  );

  /** Runs inside the transaction of its caller. @throws EngineError `LAST_API_KEY` */
  const showNewest = (paymasterId: string): void => {
    const apiKey = newest.get(paymasterId);
    if (apiKey === undefined) throw new EngineError('LAST_API_KEY');
    setShown.run(apiKey, paymasterId);
  };
  const create = database.transaction((key: ApiKey): void => {
    insert.run(key);
    showNewest(key.paymasterId);
  });
  const counts = database.prepare<[{ dapp: string }], DappCounts>(countsOf('@dapp'));
  const add = database.transaction((key: ApiKey): void => {
    create(key);
    requireRoom({ apiKeys: counts.get({ dapp: key.paymasterId })?.apiKeys ?? 0 });
  });
  const revoke = database.transaction((keyId: string, at: number): ApiKey | undefined => {
    const key = find.get(keyId);
    if (key?.revokedAt !== null) return key;
    revokeOne.run(at, keyId);
    showNewest(key.paymasterId);
    return { ...key, revokedAt: at };
  });
  const replace = database.transaction((key: ApiKey): void => {
    revokeAll.run(key.createdAt, key.paymasterId);
    create(key);
  });

  const revoked = (paymasterId: string): void => {
    caches.forget(paymasterId);
    caches.dappChanged(paymasterId);
  };

  return {
    async createApiKey(key) {
      add(key);
      caches.forget(key.paymasterId);
    },
    async listApiKeys(paymasterId) {
      return list.all(paymasterId);
    },
    async revokeApiKey(keyId, at) {
      const key = revoke(keyId, at);
      if (key !== undefined) revoked(key.paymasterId);
      return key;
    },
    async replaceApiKeys(key) {
      replace(key);
      revoked(key.paymasterId);
    },
    async recordKeyUse(apiKey, at) {
      await commit.run(() => recordUse.run({ apiKey, at }));
    },
  };
};
