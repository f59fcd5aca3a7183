import { COLUMNS, MESSAGE, PAYMASTER, type PaymasterRow, toPaymaster, WALLET_CHANGE } from '../paymaster-rows.ts';
import {
  FIRST_KEY_LABEL,
  type FundingMessage,
  type FundingWalletChange,
  type Paymaster,
  type PaymasterStore,
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

const found = (row: PaymasterRow | undefined): Paymaster | undefined => row && toPaymaster(row);

export const paymasterStore = ({ rows, writer, cache }: Access): PaymasterStore => {
  /** Undefined if the DApp does not exist. */
  const set = (
    paymasterId: string,
    { column, value }: { readonly column: string; readonly value: string | number },
    scope: ChangedScope = { dapp: paymasterId },
  ): Promise<Paymaster | undefined> =>
    writer.run(async (tx) => {
      const sql = `UPDATE paymaster SET ${column} = $1 WHERE paymaster_id = $2 RETURNING ${COLUMNS}`;
      const row = await tx.get<PaymasterRow>(sql, [value, paymasterId]);
      if (row !== undefined) tx.settingsChanged(scope);
      return found(row);
    });

  return {
    createPaymaster: (paymaster) =>
      orClash(nameClash, () =>
        writer.run(async (tx) => {
          const { paymasterId, apiKey, createdAt } = paymaster;
          await tx.run(INSERT, [
            paymasterId,
            paymaster.accountId,
            paymaster.name,
            paymaster.chainId,
            apiKey,
            paymaster.version,
            paymaster.fundingWallet,
            JSON.stringify(paymaster.allowedOrigins),
            paymaster.maxExpirySeconds,
            Number(paymaster.tokenMode),
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
    async listPaymasters(accountId) {
      const list = `${PAYMASTER} WHERE $1::text IS NULL OR account_id = $1 ORDER BY created_at, place`;
      return (await rows.all<PaymasterRow>(list, [accountId ?? null])).map(toPaymaster);
    },
    async findPaymaster(paymasterId) {
      return found(await rows.get<PaymasterRow>(`${PAYMASTER} WHERE paymaster_id = $1`, [paymasterId]));
    },
    countPaymasters: (chainId) =>
      cache.get(`dapps ${chainId}`, async () => {
        const count = 'SELECT count(*) AS dapps FROM paymaster WHERE chain_id = $1';
        return (await rows.get<{ dapps: number }>(count, [chainId]))?.dapps ?? 0;
      }),
    findPaymasterByApiKey: (apiKey) =>
      cache.get(`key ${apiKey}`, async () => found(await rows.get<PaymasterRow>(BY_KEY, [apiKey]))),
    setAllowedOrigins: (paymasterId, origins) =>
      set(paymasterId, { column: 'allowed_origins', value: JSON.stringify(origins) }),
    renamePaymaster: (paymasterId, name) => orClash(nameClash, () => set(paymasterId, { column: 'name', value: name })),
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
