import type { GasScheduleName, GasScheduleReading } from '../../shared/schema/gas-schedule.ts';
import type { CoinPriceSource } from '../../shared/schema/coin-price.ts';
import type { FeeToken } from '../../shared/schema/fee-token.ts';
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
 * Limit on the total maximum cost signed for a chain within a period. If it would be exceeded, all sponsorship is
 * paused.
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

export interface AccountStore {
  createAccount(account: Account): Promise<void>;
  /** Creates the account, unless any account exists. */
  createFirstAccount(account: Account): Promise<void>;
  listAccounts(): Promise<Account[]>;
  findAccount(accountId: string): Promise<Account | undefined>;
  createAuthToken(token: AuthToken, hash: string): Promise<void>;
  listAuthTokens(accountId?: string): Promise<AuthToken[]>;
  /** Marks the token revoked; if it was revoked before, keeps that time. Undefined if it does not exist. */
  revokeAuthToken(tokenId: string, at: number): Promise<AuthToken | undefined>;
  /** The token with this hash, expired or not; undefined if it is revoked. */
  findAuthToken(hash: string): Promise<AuthToken | undefined>;
  /** Stores the last use of a token, at most once per {@link LAST_USE_STEP_MS}. */
  recordTokenUse(tokenId: string, at: number): Promise<void>;
}

export interface DappStore {
  /** Creates a DApp. Its `apiKey` becomes its first key, with the DApp's id and {@link FIRST_KEY_LABEL}. */
  createDapp(dapp: Dapp): Promise<void>;
  listDapps(accountId?: string): Promise<Dapp[]>;
  findDapp(paymasterId: string): Promise<Dapp | undefined>;
  countDapps(chainId: number): Promise<number>;
  /** The DApp of a key that is not revoked. */
  findDappByApiKey(apiKey: string): Promise<Dapp | undefined>;
  setAllowedOrigins(paymasterId: string, origins: readonly string[]): Promise<Dapp | undefined>;
  renameDapp(paymasterId: string, name: string): Promise<Dapp | undefined>;
  setMaxExpiry(paymasterId: string, seconds: number): Promise<Dapp | undefined>;
  setTokenMode(paymasterId: string, isOn: boolean): Promise<Dapp | undefined>;
  setSponsor(paymasterId: string, sponsor: SponsorAnswer): Promise<Dapp | undefined>;
  saveFundingMessage(message: FundingMessage): Promise<void>;
  findFundingMessage(paymasterId: string): Promise<FundingMessage | undefined>;
  /**
   * Uses up the message, and changes the funding wallet. False, with nothing changed, if it is no longer the newest
   * message.
   */
  useFundingMessage(
    message: FundingMessage,
    change: { fundingWallet: Address; signature: string; at: number },
  ): Promise<boolean>;
  /** Newest first. */
  listFundingWalletChanges(paymasterId: string): Promise<FundingWalletChange[]>;
}

/** Each DApp has at least one key that is not revoked. */
export interface ApiKeyStore {
  createApiKey(key: ApiKey): Promise<void>;
  /** API keys, oldest first, including revoked keys. */
  listApiKeys(paymasterId: string): Promise<ApiKey[]>;
  /**
   * Marks the key revoked; if it was revoked before, keeps that time. Undefined if it does not exist.
   *
   * @throws EngineError `LAST_API_KEY` if the DApp would have no key left; nothing is then changed
   */
  revokeApiKey(keyId: string, at: number): Promise<ApiKey | undefined>;
  /** Creates the key, and revokes all other keys of the DApp. */
  replaceApiKeys(key: ApiKey): Promise<void>;
  /** Stores the last use of a key, at most once per {@link LAST_USE_STEP_MS}. */
  recordKeyUse(apiKey: string, at: number): Promise<void>;
}

export interface ChainStore {
  saveChain(chain: ChainSettings): Promise<void>;
  /** Keeps the reading of the gas schedule: saving settings does not change it. Ignores a chain without settings. */
  saveGasSchedule(chainId: number, reading: GasScheduleReading | null): Promise<void>;
  listChains(): Promise<ChainState[]>;
  findChain(chainId: number): Promise<ChainState | undefined>;
  removeChain(chainId: number): Promise<boolean>;
  /** Replaces the signer of the chain. The chain's paymaster contracts must then be verified again. */
  saveSigner(signer: ChainSigner): Promise<void>;
  listSigners(): Promise<ChainSigner[]>;
  findSigner(chainId: number): Promise<ChainSigner | undefined>;
  savePaymasterContract(contract: PaymasterContract): Promise<void>;
  listPaymasterContracts(): Promise<PaymasterContract[]>;
  findPaymasterContract(chainId: number, version: string): Promise<PaymasterContract | undefined>;
}

export interface FeeTokenStore {
  /** Adds the token, or replaces its settings. Chain and address, in any letter case, identify it. */
  saveFeeToken(token: FeeToken): Promise<void>;
  listFeeTokens(chainId?: number): Promise<FeeToken[]>;
  removeFeeToken(chainId: number, address: Address): Promise<boolean>;
}

/** A duplicate of a unique name rejects with that constraint's EngineError. */
export type RegistryStore = AccountStore & DappStore & ApiKeyStore & ChainStore & FeeTokenStore;
