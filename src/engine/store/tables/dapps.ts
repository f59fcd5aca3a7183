import {
  type Dapp,
  type DappStore,
  FIRST_KEY_LABEL,
  type FundingMessage,
  type FundingWalletChange,
  type SponsorAnswer,
} from '../registry-store.ts';
import type { Access } from '../access.ts';
import type { ChangedScope } from '../settings-cache.ts';
import { insertApiKey } from './api-keys.ts';

type DappRow = Omit<Dapp, 'allowedOrigins' | 'maxExpirySeconds' | 'sponsor' | 'tokenMode'> & {
  readonly allowedOrigins: string;
  readonly maxExpiryS: number;
  readonly tokenMode: number;
  readonly sponsor: string | null;
};

const DAPP = `paymaster_id, account_id, name, chain_id, api_key, version, funding_wallet, allowed_origins,
  max_expiry_s, token_mode, created_at, sponsor`;
const MESSAGE = 'paymaster_id, message, issued_at';
const WALLET_CHANGES = `SELECT changed_at AS at, funding_wallet AS address, message, signature,
    (SELECT funding_wallet FROM funding_wallet_change AS earlier WHERE earlier.paymaster_id = change.paymaster_id
     AND earlier.change_id < change.change_id ORDER BY earlier.change_id DESC LIMIT 1) AS previous
  FROM funding_wallet_change AS change WHERE paymaster_id = $1 ORDER BY change_id DESC`;
const BY_KEY = `SELECT ${DAPP} FROM paymaster
  WHERE paymaster_id = (SELECT paymaster_id FROM api_key WHERE api_key = $1 AND revoked_at IS NULL)`;

const CLASHES = { paymaster_name: 'PAYMASTER_NAME_EXISTS' } as const;

const toDapp = ({ allowedOrigins, maxExpiryS, tokenMode, sponsor, ...row }: DappRow): Dapp => ({
  ...row,
  allowedOrigins: JSON.parse(allowedOrigins) as string[],
  maxExpirySeconds: maxExpiryS,
  tokenMode: tokenMode === 1,
  ...(sponsor !== null && { sponsor: JSON.parse(sponsor) as SponsorAnswer }),
});

const ofDapp = ({ allowedOrigins, maxExpirySeconds, tokenMode, sponsor, ...value }: Dapp): DappRow => ({
  ...value,
  allowedOrigins: JSON.stringify(allowedOrigins),
  maxExpiryS: maxExpirySeconds,
  tokenMode: Number(tokenMode),
  sponsor: sponsor === undefined ? null : JSON.stringify(sponsor),
});

const found = (row: DappRow | undefined): Dapp | undefined => row && toDapp(row);

export const dappStore = ({ rows, write, cache }: Access): DappStore => {
  /** Undefined if the DApp does not exist. */
  const set = (
    paymasterId: string,
    { column, value }: { readonly column: string; readonly value: string | number },
    scope: ChangedScope = { dapp: paymasterId },
  ): Promise<Dapp | undefined> =>
    write(function* (tx) {
      const sql = `UPDATE paymaster SET ${column} = $1 WHERE paymaster_id = $2 RETURNING ${DAPP}`;
      const row = yield* tx.get<DappRow>(sql, [value, paymasterId]);
      if (row !== undefined) tx.settingsChanged(scope);
      return found(row);
    }, CLASHES);

  return {
    createDapp: (dapp) =>
      write(function* (tx) {
        const { paymasterId, apiKey, createdAt } = dapp;
        yield* tx.insert('paymaster', DAPP, ofDapp(dapp));
        const first = { keyId: paymasterId, label: FIRST_KEY_LABEL, lastUsedAt: null, revokedAt: null };
        yield* insertApiKey(tx, { ...first, paymasterId, apiKey, createdAt });
        tx.settingsChanged({ dapp: paymasterId });
      }, CLASHES),
    async listDapps(accountId) {
      const list = `SELECT ${DAPP} FROM paymaster WHERE CAST($1 AS text) IS NULL OR account_id = $1
        ORDER BY created_at, place`;
      return (await rows.all<DappRow>(list, [accountId ?? null])).map(toDapp);
    },
    async findDapp(paymasterId) {
      return found(await rows.get<DappRow>(`SELECT ${DAPP} FROM paymaster WHERE paymaster_id = $1`, [paymasterId]));
    },
    countDapps: cache.remembered(async (chainId) => {
      const count = 'SELECT count(*) AS dapps FROM paymaster WHERE chain_id = $1';
      return (await rows.get<{ dapps: number }>(count, [chainId]))?.dapps ?? 0;
    }),
    findDappByApiKey: cache.remembered(async (apiKey) => found(await rows.get<DappRow>(BY_KEY, [apiKey]))),
    setAllowedOrigins: (paymasterId, origins) =>
      set(paymasterId, { column: 'allowed_origins', value: JSON.stringify(origins) }),
    renameDapp: (paymasterId, name) => set(paymasterId, { column: 'name', value: name }),
    setMaxExpiry: (paymasterId, seconds) => set(paymasterId, { column: 'max_expiry_s', value: seconds }),
    setTokenMode: (paymasterId, isOn) => set(paymasterId, { column: 'token_mode', value: Number(isOn) }),
    // The sponsor in stubs is not part of a decision.
    setSponsor: (paymasterId, sponsor) =>
      set(paymasterId, { column: 'sponsor', value: JSON.stringify(sponsor) }, 'other'),
    saveFundingMessage: (message) =>
      write(function* (tx) {
        yield* tx.upsert('funding_message', MESSAGE, message, 'paymaster_id');
      }),
    findFundingMessage: (paymasterId) =>
      rows.get<FundingMessage>(`SELECT ${MESSAGE} FROM funding_message WHERE paymaster_id = $1`, [paymasterId]),
    useFundingMessage: ({ paymasterId, message }, { fundingWallet, signature, at }) =>
      write(function* (tx) {
        const spend = 'DELETE FROM funding_message WHERE paymaster_id = $1 AND message = $2';
        if ((yield* tx.run(spend, [paymasterId, message])) === 0) return false;
        const setWallet = 'UPDATE paymaster SET funding_wallet = $1 WHERE paymaster_id = $2';
        yield* tx.run(setWallet, [fundingWallet, paymasterId]);
        const change = { paymasterId, fundingWallet, message, signature, changedAt: at };
        const columns = 'paymaster_id, funding_wallet, message, signature, changed_at';
        yield* tx.insert('funding_wallet_change', columns, change);
        tx.settingsChanged({ dapp: paymasterId });
        return true;
      }),
    listFundingWalletChanges: (paymasterId) => rows.all<FundingWalletChange>(WALLET_CHANGES, [paymasterId]),
  };
};
