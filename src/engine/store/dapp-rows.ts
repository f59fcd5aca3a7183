import type { Dapp, SponsorAnswer } from './registry-store.ts';

export type DappRow = Omit<Dapp, 'allowedOrigins' | 'sponsor' | 'tokenMode'> & {
  allowedOrigins: string;
  tokenMode: number;
  sponsor: string | null;
};

export const COLUMNS = `paymaster_id AS "paymasterId", account_id AS "accountId", name, chain_id AS "chainId",
  api_key AS "apiKey", version, funding_wallet AS "fundingWallet", allowed_origins AS "allowedOrigins",
  max_expiry_s AS "maxExpirySeconds", token_mode AS "tokenMode", sponsor, created_at AS "createdAt"`;
export const PAYMASTER = `SELECT ${COLUMNS} FROM paymaster`;
export const KEY = `SELECT key_id AS "keyId", paymaster_id AS "paymasterId", api_key AS "apiKey", label,
  created_at AS "createdAt", last_used_at AS "lastUsedAt", revoked_at AS "revokedAt" FROM api_key`;
export const MESSAGE = 'SELECT paymaster_id AS "paymasterId", message, issued_at AS "issuedAt" FROM funding_message';
export const WALLET_CHANGE = `SELECT changed_at AS at, funding_wallet AS address, message, signature,
    (SELECT funding_wallet FROM funding_wallet_change AS earlier WHERE earlier.paymaster_id = change.paymaster_id
     AND earlier.change_id < change.change_id ORDER BY earlier.change_id DESC LIMIT 1) AS previous
  FROM funding_wallet_change AS change`;

export const toDapp = ({ allowedOrigins, tokenMode, sponsor, ...row }: DappRow): Dapp => ({
  ...row,
  allowedOrigins: JSON.parse(allowedOrigins) as string[],
  tokenMode: tokenMode === 1,
  ...(sponsor !== null && { sponsor: JSON.parse(sponsor) as SponsorAnswer }),
});
