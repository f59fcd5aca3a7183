import { type DappCounts, requireRoom } from '../../../core/policy/policy-bounds.ts';
import { EngineError } from '../../../shared/errors.ts';
import { KEY } from '../dapp-rows.ts';
import { countsOf } from '../policy-rows.ts';
import type { ApiKey, ApiKeyStore } from '../registry-store.ts';
import { createLastUses } from './last-uses.ts';
import type { Rows } from './rows.ts';
import type { Writer, Transaction } from './writer.ts';

const INSERT = `INSERT INTO api_key (key_id, paymaster_id, api_key, label, created_at, last_used_at, revoked_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`;
const NEWEST = `SELECT api_key AS "apiKey" FROM api_key WHERE paymaster_id = $1 AND revoked_at IS NULL
  ORDER BY created_at DESC, place DESC LIMIT 1`;

/** Updates the key shown with the DApp to the newest that is not revoked. @throws EngineError `LAST_API_KEY` */
const showNewest = async (tx: Transaction, paymasterId: string): Promise<void> => {
  const newest = await tx.get<{ apiKey: string }>(NEWEST, [paymasterId]);
  if (newest === undefined) throw new EngineError('LAST_API_KEY');
  await tx.run('UPDATE paymaster SET api_key = $1 WHERE paymaster_id = $2', [newest.apiKey, paymasterId]);
  tx.settingsChanged('other');
};

/** Another engine may still know a revoked key: what was requested with it must not be signed. */
const refuseRevoked = (tx: Transaction, paymasterId: string): void => tx.settingsChanged({ dapp: paymasterId });

export const insertApiKey = async (tx: Rows, key: ApiKey): Promise<void> => {
  const { keyId, paymasterId, apiKey, label, createdAt, lastUsedAt, revokedAt } = key;
  await tx.run(INSERT, [keyId, paymasterId, apiKey, label, createdAt, lastUsedAt, revokedAt]);
};

const create = async (tx: Transaction, key: ApiKey): Promise<void> => {
  await insertApiKey(tx, key);
  await showNewest(tx, key.paymasterId);
};

export const apiKeyStore = ({ rows, writer }: { readonly rows: Rows; readonly writer: Writer }): ApiKeyStore => ({
  createApiKey: (key) =>
    writer.run(async (tx) => {
      await create(tx, key);
      const counts = await tx.get<DappCounts>(countsOf('$1'), [key.paymasterId]);
      requireRoom({ apiKeys: counts?.apiKeys ?? 0 });
    }),
  listApiKeys: (paymasterId) =>
    rows.all<ApiKey>(`${KEY} WHERE paymaster_id = $1 ORDER BY created_at, place`, [paymasterId]),
  revokeApiKey: (keyId, at) =>
    writer.run(async (tx) => {
      const key = await tx.get<ApiKey>(`${KEY} WHERE key_id = $1`, [keyId]);
      if (key?.revokedAt !== null) return key;
      await tx.run('UPDATE api_key SET revoked_at = $1 WHERE key_id = $2', [at, keyId]);
      await showNewest(tx, key.paymasterId);
      refuseRevoked(tx, key.paymasterId);
      return { ...key, revokedAt: at };
    }),
  replaceApiKeys: (key) =>
    writer.run(async (tx) => {
      const values = [key.createdAt, key.paymasterId];
      await tx.run('UPDATE api_key SET revoked_at = $1 WHERE paymaster_id = $2 AND revoked_at IS NULL', values);
      await create(tx, key);
      refuseRevoked(tx, key.paymasterId);
    }),
  recordKeyUse: createLastUses(rows, { table: 'api_key', key: 'api_key' }),
});
