import { COLUMNS, MESSAGE, PAYMASTER, type DappRow, toDapp, WALLET_CHANGE } from '../dapp-rows.ts';
import {
  FIRST_KEY_LABEL,
  type FundingMessage,
  type FundingWalletChange,
  type Dapp,
  type DappStore,
} from '../registry-store.ts';
import { insertApiKey } from './api-keys.ts';
import { orClash } from './errors.ts';
import type { ChangedScope } from './settings-cache.ts';
import type { Access } from './writer.ts';

const INSERT = `INSERT INTO paymaster (paymaster_id, account_id, name, chain_id, api_key, version, funding_wallet,
    allowed_origins, max_expiry_s, token_mode, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`;
const BY_KEY = `${PAYMASTER}
  WHERE paymaster_id = (SELECT paymaster_id FROM api_key WHERE api_key = $1 AND revoked_at IS NULL)`;
const SAVE_MESSAGE = `INSERT INTO funding_message (paymaster_id, message, issued_at) VALUES ($1, $2, $3)
  ON CONFLICT (paymaster_id) DO UPDATE SET message = excluded.message, issued_at = excluded.issued_at`;
const RECORD_CHANGE = `INSERT INTO funding_wallet_change (paymaster_id, funding_wallet, message, signature, changed_at)
  VALUES ($1, $2, $3, $4, $5)`;

const nameClash = { paymaster_name: 'PAYMASTER_NAME_EXISTS' } as const;

const found = (row: DappRow | undefined): Dapp | undefined => row && toDapp(row);

export const dappStore = ({ rows, writer, cache }: Access): DappStore => {
  /** Undefined if the DApp does not exist. */
  const set = (
    paymasterId: string,
    { column, value }: { readonly column: string; readonly value: string | number },
    scope: ChangedScope = { dapp: paymasterId },
  ): Promise<Dapp | undefined> =>
    writer.run(async (tx) => {
      const sql = `UPDATE paymaster SET ${column} = $1 WHERE paymaster_id = $2 RETURNING ${COLUMNS}`;
      const row = await tx.get<DappRow>(sql, [value, paymasterId]);
      if (row !== undefined) tx.settingsChanged(scope);
      return found(row);
    });

  return {
    createDapp: (dapp) =>
      orClash(nameClash, () =>
        writer.run(async (tx) => {
          const { paymasterId, apiKey, createdAt } = dapp;
          await tx.run(INSERT, [
            paymasterId,
            dapp.accountId,
            dapp.name,
            dapp.chainId,
            apiKey,
            dapp.version,
            dapp.fundingWallet,
            JSON.stringify(dapp.allowedOrigins),
            dapp.maxExpirySeconds,
            Number(dapp.tokenMode),
            createdAt,
          ]);
          const unused = { lastUsedAt: null, revokedAt: null };
          await insertApiKey(tx, {
            keyId: paymasterId,
            paymasterId,
            apiKey,
            label: FIRST_KEY_LABEL,
            createdAt,
            ...unused,
          });
          tx.settingsChanged({ dapp: paymasterId });
        }),
      ),
    async listDapps(accountId) {
      const list = `${PAYMASTER} WHERE $1::text IS NULL OR account_id = $1 ORDER BY created_at, place`;
      return (await rows.all<DappRow>(list, [accountId ?? null])).map(toDapp);
    },
    async findDapp(paymasterId) {
      return found(await rows.get<DappRow>(`${PAYMASTER} WHERE paymaster_id = $1`, [paymasterId]));
    },
    countDapps: (chainId) =>
      cache.get(`dapps ${chainId}`, async () => {
        const count = 'SELECT count(*) AS dapps FROM paymaster WHERE chain_id = $1';
        return (await rows.get<{ dapps: number }>(count, [chainId]))?.dapps ?? 0;
      }),
    findDappByApiKey: (apiKey) =>
      cache.get(`key ${apiKey}`, async () => found(await rows.get<DappRow>(BY_KEY, [apiKey]))),
    setAllowedOrigins: (paymasterId, origins) =>
      set(paymasterId, { column: 'allowed_origins', value: JSON.stringify(origins) }),
    renameDapp: (paymasterId, name) => orClash(nameClash, () => set(paymasterId, { column: 'name', value: name })),
    setMaxExpiry: (paymasterId, seconds) => set(paymasterId, { column: 'max_expiry_s', value: seconds }),
    setTokenMode: (paymasterId, isOn) => set(paymasterId, { column: 'token_mode', value: Number(isOn) }),
    // The sponsor in stubs is not part of a decision.
    setSponsor: (paymasterId, sponsor) =>
      set(paymasterId, { column: 'sponsor', value: JSON.stringify(sponsor) }, 'other'),
    saveFundingMessage: ({ paymasterId, message, issuedAt }) =>
      writer.run(async (tx) => {
        await tx.run(SAVE_MESSAGE, [paymasterId, message, issuedAt]);
      }),
    findFundingMessage: (paymasterId) => rows.get<FundingMessage>(`${MESSAGE} WHERE paymaster_id = $1`, [paymasterId]),
    useFundingMessage: ({ paymasterId, message }, { fundingWallet, signature, at }) =>
      writer.run(async (tx) => {
        const spend = 'DELETE FROM funding_message WHERE paymaster_id = $1 AND message = $2';
        if ((await tx.run(spend, [paymasterId, message])) === 0) return false;
        const setWallet = 'UPDATE paymaster SET funding_wallet = $1 WHERE paymaster_id = $2';
        await tx.run(setWallet, [fundingWallet, paymasterId]);
        await tx.run(RECORD_CHANGE, [paymasterId, fundingWallet, message, signature, at]);
        tx.settingsChanged({ dapp: paymasterId });
        return true;
      }),
    listFundingWalletChanges: (paymasterId) =>
      rows.all<FundingWalletChange>(`${WALLET_CHANGE} WHERE paymaster_id = $1 ORDER BY change_id DESC`, [paymasterId]),
  };
};
