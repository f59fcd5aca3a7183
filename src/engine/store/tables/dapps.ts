import {
  type Dapp,
  FIRST_KEY_LABEL,
  type FundingMessage,
  type FundingWalletChange,
  type SponsorAnswer,
} from '../registry-store.ts';
import type { Address } from '../../../shared/schema/hex.ts';
import type { Access } from '../access.ts';
import type { ChangedScope } from '../settings-cache.ts';
import { insertApiKey } from './api-keys.ts';
import { storedAs } from './stored-as.ts';

const dapps = storedAs<Dapp>({ json: ['allowedOrigins', 'sponsor'], flags: ['tokenMode'] });

const DAPP = `paymaster_id, account_id, name, chain_id, api_key, version, funding_wallet, allowed_origins,
  max_expiry_seconds, token_mode, created_at, sponsor`;
const MESSAGE = 'paymaster_id, message, issued_at';
const WALLET_CHANGES = `SELECT changed_at AS at, funding_wallet AS address, message, signature,
    (SELECT funding_wallet FROM funding_wallet_change AS earlier WHERE earlier.paymaster_id = change.paymaster_id
     AND earlier.change_id < change.change_id ORDER BY earlier.change_id DESC LIMIT 1) AS previous
  FROM funding_wallet_change AS change WHERE paymaster_id = $1 ORDER BY change_id DESC`;
const BY_ID = `SELECT ${DAPP} FROM paymaster WHERE paymaster_id = $1`;
const BY_KEY = `SELECT ${DAPP} FROM paymaster
  WHERE paymaster_id = (SELECT paymaster_id FROM api_key WHERE api_key = $1 AND revoked_at IS NULL)`;

const CLASHES = { paymaster_name: 'PAYMASTER_NAME_EXISTS' } as const;

const toDapp = (row: object): Dapp => {
  const { sponsor, ...dapp } = dapps.read(row);
  return sponsor ? { ...dapp, sponsor } : dapp;
};

const found = (row: object | undefined): Dapp | undefined => row && toDapp(row);

export const dappStore = ({ rows, write, cache }: Access) => {
  /** Undefined if the DApp does not exist. */
  const set = (
    paymasterId: string,
    fields: Partial<Dapp>,
    scope: ChangedScope = { dapp: paymasterId },
  ): Promise<Dapp | undefined> =>
    write(function* (tx) {
      if ((yield* tx.update('paymaster', { paymasterId }, dapps.write(fields))) === 0) return undefined;
      tx.settingsChanged(scope);
      return found(yield* tx.get<object>(BY_ID, [paymasterId]));
    }, CLASHES);

  return {
    /** Creates a DApp. Its `apiKey` becomes its first key, with the DApp's id and {@link FIRST_KEY_LABEL}. */
    createDapp: (dapp: Dapp): Promise<void> =>
      write(function* (tx) {
        const { paymasterId, apiKey, createdAt } = dapp;
        yield* tx.insert('paymaster', DAPP, { sponsor: null, ...dapps.write(dapp) });
        const first = { keyId: paymasterId, label: FIRST_KEY_LABEL, lastUsedAt: null, revokedAt: null };
        yield* insertApiKey(tx, { ...first, paymasterId, apiKey, createdAt });
        tx.settingsChanged({ dapp: paymasterId });
      }, CLASHES),
    async listDapps(accountId?: string): Promise<Dapp[]> {
      const list = `SELECT ${DAPP} FROM paymaster WHERE CAST($1 AS text) IS NULL OR account_id = $1
        ORDER BY created_at, place`;
      return (await rows.all<object>(list, [accountId ?? null])).map(toDapp);
    },
    async findDapp(paymasterId: string): Promise<Dapp | undefined> {
      return found(await rows.get<object>(BY_ID, [paymasterId]));
    },
    countDapps: cache.remembered(async (chainId: number) => {
      const count = 'SELECT count(*) AS dapps FROM paymaster WHERE chain_id = $1';
      return (await rows.get<{ dapps: number }>(count, [chainId]))?.dapps ?? 0;
    }),
    /** The DApp of a key that is not revoked. */
    findDappByApiKey: cache.remembered(async (apiKey: string) => found(await rows.get<object>(BY_KEY, [apiKey]))),
    setAllowedOrigins: (paymasterId: string, allowedOrigins: readonly string[]) => set(paymasterId, { allowedOrigins }),
    renameDapp: (paymasterId: string, name: string) => set(paymasterId, { name }),
    setMaxExpiry: (paymasterId: string, maxExpirySeconds: number) => set(paymasterId, { maxExpirySeconds }),
    setTokenMode: (paymasterId: string, tokenMode: boolean) => set(paymasterId, { tokenMode }),
    // The sponsor in stubs is not part of a decision.
    setSponsor: (paymasterId: string, sponsor: SponsorAnswer) => set(paymasterId, { sponsor }, 'other'),
    async saveFundingMessage(message: FundingMessage): Promise<void> {
      await write((tx) => tx.upsert('funding_message', MESSAGE, message, 'paymaster_id'));
    },
    findFundingMessage: (paymasterId: string) =>
      rows.get<FundingMessage>(`SELECT ${MESSAGE} FROM funding_message WHERE paymaster_id = $1`, [paymasterId]),
    /**
     * Uses up the message, and changes the funding wallet. False, with nothing changed, if it is no longer the newest
     * message.
     */
    useFundingMessage: (
      { paymasterId, message }: FundingMessage,
      { fundingWallet, signature, at }: { fundingWallet: Address; signature: string; at: number },
    ): Promise<boolean> =>
      write(function* (tx) {
        const spend = 'DELETE FROM funding_message WHERE paymaster_id = $1 AND message = $2';
        if ((yield* tx.run(spend, [paymasterId, message])) === 0) return false;
        yield* tx.update('paymaster', { paymasterId }, { fundingWallet });
        const change = { paymasterId, fundingWallet, message, signature, changedAt: at };
        const columns = 'paymaster_id, funding_wallet, message, signature, changed_at';
        yield* tx.insert('funding_wallet_change', columns, change);
        tx.settingsChanged({ dapp: paymasterId });
        return true;
      }),
    /** Newest first. */
    listFundingWalletChanges: (paymasterId: string) => rows.all<FundingWalletChange>(WALLET_CHANGES, [paymasterId]),
  };
};
