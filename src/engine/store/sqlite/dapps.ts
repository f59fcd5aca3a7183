import type Database from 'better-sqlite3';
import { MESSAGE, PAYMASTER, type DappRow, toDapp, WALLET_CHANGE } from '../dapp-rows.ts';
import {
  FIRST_KEY_LABEL,
  type FundingMessage,
  type FundingWalletChange,
  type Dapp,
  type DappStore,
} from '../registry-store.ts';
import { type DappCache, remembered } from './memory.ts';
import { orClash } from './unique.ts';

/**
 * DApps and their funding wallets.
 *
 * @param dappChanged called with every new DApp, and every change of a funding wallet, of the validity of signatures,
 *   of the allowed origins, or of token mode
 */
export const dappStore = (
  database: Database.Database,
  dappChanged: (paymasterId: string) => void,
): DappStore & DappCache => {
  const insert = database.prepare(
    `INSERT INTO paymaster (paymaster_id, account_id, name, chain_id, api_key, version, funding_wallet, allowed_origins,
       max_expiry_s, token_mode, created_at)
     VALUES (@paymasterId, @accountId, @name, @chainId, @apiKey, @version, @fundingWallet, @allowedOrigins,
       @maxExpirySeconds, @tokenMode, @createdAt)`,
  );
  const insertFirstKey = database.prepare(
    `INSERT INTO api_key (key_id, paymaster_id, api_key, label, created_at)
     VALUES (@paymasterId, @paymasterId, @apiKey, '${FIRST_KEY_LABEL}', @createdAt)`,
  );
  const create = database.transaction((row: object): void => {
    insert.run(row);
    insertFirstKey.run(row);
  });
  const list = database.prepare<[{ accountId: string | null }], DappRow>(
    `${PAYMASTER} WHERE @accountId IS NULL OR account_id = @accountId ORDER BY created_at, rowid`,
  );
  const byId = database.prepare<[string], DappRow>(`${PAYMASTER} WHERE paymaster_id = ?`);
  const byApiKey = database.prepare<[string], DappRow>(
    `${PAYMASTER} WHERE paymaster_id = (SELECT paymaster_id FROM api_key WHERE api_key = ? AND revoked_at IS NULL)`,
  );
  const count = database.prepare<[number], number>('SELECT count(*) FROM paymaster WHERE chain_id = ?').pluck();
  const setOrigins = database.prepare<[string, string]>(
    'UPDATE paymaster SET allowed_origins = ? WHERE paymaster_id = ?',
  );
  const setName = database.prepare<[string, string]>('UPDATE paymaster SET name = ? WHERE paymaster_id = ?');
  const setExpiry = database.prepare<[number, string]>('UPDATE paymaster SET max_expiry_s = ? WHERE paymaster_id = ?');
  const setMode = database.prepare<[number, string]>('UPDATE paymaster SET token_mode = ? WHERE paymaster_id = ?');
  const setAnswer = database.prepare<[string, string]>('UPDATE paymaster SET sponsor = ? WHERE paymaster_id = ?');
  const saveMessage = database.prepare(
    `INSERT INTO funding_message VALUES (@paymasterId, @message, @issuedAt)
     ON CONFLICT DO UPDATE SET message = excluded.message, issued_at = excluded.issued_at`,
  );
  const message = database.prepare<[string], FundingMessage>(`${MESSAGE} WHERE paymaster_id = ?`);
  const spendMessage = database.prepare<[string, string]>(
    'DELETE FROM funding_message WHERE paymaster_id = ? AND message = ?',
  );
  const setWallet = database.prepare<[string, string]>(
    'UPDATE paymaster SET funding_wallet = ? WHERE paymaster_id = ?',
  );
  const recordChange = database.prepare<[string, string, string, string, number]>(
    `INSERT INTO funding_wallet_change (paymaster_id, funding_wallet, message, signature, changed_at)
     VALUES (?, ?, ?, ?, ?)`,
  );
  const listChanges = database.prepare<[string], FundingWalletChange>(
    `${WALLET_CHANGE} WHERE paymaster_id = ? ORDER BY change_id DESC`,
  );
  type Change = Parameters<DappStore['useFundingMessage']>[1];
  const change = database.transaction((used: FundingMessage, { fundingWallet, signature, at }: Change): boolean => {
    if (spendMessage.run(used.paymasterId, used.message).changes === 0) return false;
    setWallet.run(fundingWallet, used.paymasterId);
    recordChange.run(used.paymasterId, fundingWallet, used.message, signature, at);
    return true;
  });

  const found = (row: DappRow | undefined): Dapp | undefined => row && toDapp(row);
  // Every decision reads these.
  const counts = remembered((chainId: number) => ({ dapps: count.get(chainId) ?? 0 }));
  const ofApiKey = remembered((apiKey: string) => found(byApiKey.get(apiKey)));

  return {
    forget: () => ofApiKey.forget(),
    async createDapp(dapp) {
      const { allowedOrigins, tokenMode } = dapp;
      const row = { ...dapp, allowedOrigins: JSON.stringify(allowedOrigins), tokenMode: Number(tokenMode) };
      orClash({ name: 'PAYMASTER_NAME_EXISTS' }, () => create(row));
      counts.forget();
      dappChanged(dapp.paymasterId);
    },
    async listDapps(accountId) {
      return list.all({ accountId: accountId ?? null }).map(toDapp);
    },
    async findDapp(paymasterId) {
      return found(byId.get(paymasterId));
    },
    async countDapps(chainId) {
      return counts.get(chainId)?.dapps ?? 0;
    },
    async findDappByApiKey(apiKey) {
      return ofApiKey.get(apiKey);
    },
    async setAllowedOrigins(paymasterId, origins) {
      setOrigins.run(JSON.stringify(origins), paymasterId);
      ofApiKey.forget();
      dappChanged(paymasterId);
      return found(byId.get(paymasterId));
    },
    async renameDapp(paymasterId, name) {
      orClash({ name: 'PAYMASTER_NAME_EXISTS' }, () => setName.run(name, paymasterId));
      ofApiKey.forget();
      dappChanged(paymasterId);
      return found(byId.get(paymasterId));
    },
    async setMaxExpiry(paymasterId, seconds) {
      setExpiry.run(seconds, paymasterId);
      ofApiKey.forget();
      dappChanged(paymasterId);
      return found(byId.get(paymasterId));
    },
    async setTokenMode(paymasterId, isOn) {
      setMode.run(Number(isOn), paymasterId);
      ofApiKey.forget();
      dappChanged(paymasterId);
      return found(byId.get(paymasterId));
    },
    async setSponsor(paymasterId, sponsor) {
      setAnswer.run(JSON.stringify(sponsor), paymasterId);
      ofApiKey.forget();
      return found(byId.get(paymasterId));
    },
    async saveFundingMessage(value) {
      saveMessage.run(value);
    },
    async findFundingMessage(paymasterId) {
      return message.get(paymasterId);
    },
    async useFundingMessage(used, by) {
      const changed = change(used, by);
      ofApiKey.forget();
      if (changed) dappChanged(used.paymasterId);
      return changed;
    },
    async listFundingWalletChanges(paymasterId) {
      return listChanges.all(paymasterId);
    },
  };
};
