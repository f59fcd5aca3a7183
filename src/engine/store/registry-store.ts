import type { GasScheduleName, GasScheduleReading } from '../../shared/schema/gas-schedule.ts';
import type { CoinPriceSource } from '../../shared/schema/coin-price.ts';
import type { Address } from '../../shared/schema/hex.ts';

/** Owner of DApps. Times in epoch ms, here and below. */
export interface Account {
  accountId: string;
  name: string;
  createdAt: number;
}

/** The access that a token gives: read; read and change; or read and change the data of one DApp. */
export type TokenScope = 'read' | 'manage' | 'dapp';

/** An auth token's data. Only a hash of the token itself is stored. */
export interface AuthToken {
  tokenId: string;
  accountId: string;
  label: string;
  scope: TokenScope;
  /** The DApp of a token with the scope `dapp`; null for other scopes. */
  paymasterId: string | null;
  createdAt: number;
  /** Time from which the token is refused; null: never. */
  expiresAt: number | null;
  /** Time of the last use, up to a minute too early; null: never used. */
  lastUsedAt: number | null;
  revokedAt: number | null;
}

/** What stub data says about the sponsor (ERC-7677). */
export interface SponsorAnswer {
  /** An https or data URL; null: none. */
  readonly icon: string | null;
  /**
   * False: stub data contains neither `sponsor` nor `isFinal`, for wallets that mistake them for fields of the
   * operation.
   */
  readonly isTold: boolean;
}

/** A DApp on one chain. */
export interface Dapp {
  paymasterId: string;
  accountId: string;
  name: string;
  chainId: number;
  /** The newest of the DApp's API keys that are not revoked. */
  apiKey: string;
  version: string;
  fundingWallet: Address | null;
  /** Origins from which browsers may use the API key; `*` allows every origin. */
  allowedOrigins: readonly string[];
  /** Maximum `expiryDuration` of a request. */
  maxExpirySeconds: number;
  tokenMode: boolean;
  /** Absent: stub data contains the name of the DApp, without an icon. */
  sponsor?: SponsorAnswer;
  createdAt: number;
}

export interface ApiKey {
  keyId: string;
  paymasterId: string;
  apiKey: string;
  label: string;
  createdAt: number;
  /** Time of the last use, up to a minute too early; null: never used. */
  lastUsedAt: number | null;
  revokedAt: number | null;
}

export const FIRST_KEY_LABEL = 'first';

/** Uses within this time after the stored one are not written. In ms. */
export const LAST_USE_STEP_MS = 60_000;

export interface FundingMessage {
  paymasterId: string;
  message: string;
  issuedAt: number;
}

export interface FundingWalletChange {
  at: number;
  previous: Address | null;
  address: Address;
  message: string;
  /** Null for changes from before signatures were stored. */
  signature: string | null;
}

/**
 * Limit on the total maximum cost signed for a chain within a period. If it would be exceeded, every DApp on
 * the chain is paused.
 */
export interface Breaker {
  /** Sum of maximum costs: wei, decimal. */
  readonly amountWei: string;
  readonly seconds: number;
}

/** The operator's settings of a chain. A URL with credentials is in the vault, and only its origin here. */
export interface ChainSettings {
  chainId: number;
  name: string | null;
  symbol: string | null;
  rpc: string | null;
  bundler: string | null;
  /** Receives the users' fees in token mode; null: the signer's address. */
  treasury: Address | null;
  /** `default`: a share of the chain's gas tanks. Null: no limit besides the other rules. */
  breaker: Breaker | 'default' | null;
  /** Maximum that may be signed while the node is unreachable: wei, decimal; null: nothing. */
  unreachableBudgetWei: string | null;
  /**
   * Maximum cost of one operation: wei, decimal; null: the chain's default, and at most the cost of 20 million gas at
   * its price.
   */
  maxOperationCostWei: string | null;
  /** Source of the native coin's price; null: none. */
  price: CoinPriceSource | null;
  /**
   * Whether DApps reach the chain's bundler through Gasdesk, and with which operations: only with those that Gasdesk
   * has signed for them, or with all. Null: they do not.
   */
  forwardBundler: 'own' | 'all' | null;
  /** The gas schedule that the operator has pinned; null: that of the node. */
  gasSchedule: GasScheduleName | null;
}

/** A chain's settings, and what its node has reported. */
export interface ChainState extends ChainSettings {
  /** Null before the node's first answer. */
  gasScheduleReading: GasScheduleReading | null;
}

/** A paymaster contract attached to a chain for a version. @param checked whether its hash and signer were verified */
export interface PaymasterContract {
  chainId: number;
  version: string;
  address: Address;
  checked: boolean;
}

/** The address that signs sponsorships on a chain; its key is in the vault. */
export interface ChainSigner {
  chainId: number;
  address: Address;
}
