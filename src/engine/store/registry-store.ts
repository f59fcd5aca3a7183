import type { CoinPriceSource } from '../../shared/schema/coin-price.ts';
import type { FeeToken } from '../../shared/schema/fee-token.ts';
import type { Address } from '../../shared/schema/hex.ts';

/** An account: the owner of DApps. Times in epoch ms, here and below. */
export interface Account {
  accountId: string;
  name: string;
  createdAt: number;
}

/** What an auth token may do: read, read and change, or read and change what is of one DApp. */
export type TokenScope = 'read' | 'manage' | 'dapp';

/** An auth token; of the token itself only a hash is kept. */
export interface AuthToken {
  tokenId: string;
  accountId: string;
  label: string;
  scope: TokenScope;
  /** The DApp of the scope `dapp`; null for the others. */
  paymasterId: string | null;
  createdAt: number;
  /** From then on it is refused; null: never. */
  expiresAt: number | null;
  /** Up to a minute before its last use; null: it was not used. */
  lastUsedAt: number | null;
  revokedAt: number | null;
}

/** What stubs say of who sponsors (ERC-7677). */
export interface SponsorAnswer {
  /** An https or data URL; null: none. */
  readonly icon: string | null;
  /** False: stubs have neither `sponsor` nor `isFinal`, for wallets that take them for fields of the operation. */
  readonly isTold: boolean;
}

/** A paymaster: one DApp on one chain. */
export interface Paymaster {
  paymasterId: string;
  accountId: string;
  name: string;
  chainId: number;
  /** The newest of its API keys that are not revoked. */
  apiKey: string;
  version: string;
  fundingWallet: Address | null;
  /** Origins from which browsers may use the API key; `*` is any. */
  allowedOrigins: readonly string[];
  /** The longest `expiryDuration` that a request may ask for. */
  maxExpirySeconds: number;
  /** Whether users may pay in tokens instead of being sponsored. */
  tokenMode: boolean;
  /** Absent: its name, without an icon. */
  sponsor?: SponsorAnswer;
  createdAt: number;
}

/** A key by which a DApp asks for sponsorship. */
export interface ApiKey {
  keyId: string;
  paymasterId: string;
  apiKey: string;
  label: string;
  createdAt: number;
  /** Up to a minute before its last use; null: it was not used. */
  lastUsedAt: number | null;
  revokedAt: number | null;
}

/** The label of the key that a DApp is made with. */
export const FIRST_KEY_LABEL = 'first';

/** Uses of a token or key within this time of the one that is kept are not written, ms. */
export const LAST_USE_STEP_MS = 60_000;

/** The newest funding message of a paymaster. */
export interface FundingMessage {
  paymasterId: string;
  message: string;
  issuedAt: number;
}

/** A change of the funding wallet, and what proved that it may be changed. */
export interface FundingWalletChange {
  at: number;
  previous: Address | null;
  address: Address;
  /** What was signed. */
  message: string;
  /** Null for changes of before it was kept. */
  signature: string | null;
}

/** The most that may be signed for on a chain within a time, before all sponsorship is paused. */
export interface Breaker {
  /** Sum of maximum costs: wei, decimal. */
  readonly amountWei: string;
  readonly seconds: number;
}

/** The operator's settings of a chain. A URL that carries credentials is in the vault, its bare origin here. */
export interface ChainSettings {
  chainId: number;
  name: string | null;
  symbol: string | null;
  rpc: string | null;
  bundler: string | null;
  /** Takes the users' fees in token mode; null: the signer's address does. */
  treasury: Address | null;
  /** `default`: a share of what the chain's gas tanks hold. Null: whatever is within the other rules may be signed. */
  breaker: Breaker | 'default' | null;
  /** Wei, decimal: the most that may be signed for while the node is unreachable; null: nothing is. */
  unreachableBudgetWei: string | null;
  /** Wei that one operation may cost at most, decimal; null: the chain's default, and no more than its prices call for. */
  maxOperationCostWei: string | null;
  /** Where it comes from what the native coin is worth; null: nobody says. */
  price: CoinPriceSource | null;
}

/** A paymaster contract attached to a chain for a version. `checked`: its hash and signer were seen to agree. */
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

/** Accounts and their auth tokens. */
export interface AccountStore {
  createAccount(account: Account): Promise<void>;
  /** Creates the account, unless there is one already, of whatever name. */
  createFirstAccount(account: Account): Promise<void>;
  listAccounts(): Promise<Account[]>;
  findAccount(accountId: string): Promise<Account | undefined>;
  createAuthToken(token: AuthToken, hash: string): Promise<void>;
  listAuthTokens(accountId?: string): Promise<AuthToken[]>;
  /** Marks the token revoked; a token revoked before keeps its time. Undefined if there is none. */
  revokeAuthToken(tokenId: string, at: number): Promise<AuthToken | undefined>;
  /** The token with this hash, expired or not; undefined if it is revoked. */
  findAuthToken(hash: string): Promise<AuthToken | undefined>;
  /** Keeps when a token was last used, by steps of {@link LAST_USE_STEP_MS}: what comes sooner writes nothing. */
  recordTokenUse(tokenId: string, at: number): Promise<void>;
}

/** DApps and their funding wallets. */
export interface PaymasterStore {
  /** Its `apiKey` becomes its first key: with the id of the DApp, and {@link FIRST_KEY_LABEL}. */
  createPaymaster(paymaster: Paymaster): Promise<void>;
  listPaymasters(accountId?: string): Promise<Paymaster[]>;
  findPaymaster(paymasterId: string): Promise<Paymaster | undefined>;
  /** How many DApps there are on a chain. */
  countPaymasters(chainId: number): Promise<number>;
  /** The DApp of a key that is not revoked. */
  findPaymasterByApiKey(apiKey: string): Promise<Paymaster | undefined>;
  /** Undefined if there is no such paymaster. */
  setAllowedOrigins(paymasterId: string, origins: readonly string[]): Promise<Paymaster | undefined>;
  /** Undefined if there is no such paymaster. */
  renamePaymaster(paymasterId: string, name: string): Promise<Paymaster | undefined>;
  /** Undefined if there is no such paymaster. */
  setMaxExpiry(paymasterId: string, seconds: number): Promise<Paymaster | undefined>;
  /** Undefined if there is no such paymaster. */
  setTokenMode(paymasterId: string, isOn: boolean): Promise<Paymaster | undefined>;
  /** Changes what stubs say of who sponsors; undefined if there is no such paymaster. */
  setSponsor(paymasterId: string, sponsor: SponsorAnswer): Promise<Paymaster | undefined>;
  /** Replaces the funding message of the paymaster. */
  saveFundingMessage(message: FundingMessage): Promise<void>;
  findFundingMessage(paymasterId: string): Promise<FundingMessage | undefined>;
  /** Uses up the message and changes the funding wallet. False, with nothing changed, if it is no longer the newest. */
  useFundingMessage(
    message: FundingMessage,
    change: { fundingWallet: Address; signature: string; at: number },
  ): Promise<boolean>;
  /** Newest first. */
  listFundingWalletChanges(paymasterId: string): Promise<FundingWalletChange[]>;
}

/** The API keys of DApps. Of each DApp at least one is not revoked. */
export interface ApiKeyStore {
  createApiKey(key: ApiKey): Promise<void>;
  /** Oldest first, those too that are revoked. */
  listApiKeys(paymasterId: string): Promise<ApiKey[]>;
  /**
   * Marks the key revoked; a key revoked before keeps its time. Undefined if there is none.
   *
   * @throws EngineError `LAST_API_KEY` if the DApp would be left without a key; nothing is changed then
   */
  revokeApiKey(keyId: string, at: number): Promise<ApiKey | undefined>;
  /** Revokes all keys of the DApp when this one is made. */
  replaceApiKeys(key: ApiKey): Promise<void>;
  /** Keeps when a key was last used, by steps of {@link LAST_USE_STEP_MS}: what comes sooner writes nothing. */
  recordKeyUse(apiKey: string, at: number): Promise<void>;
}

/** Chains, their signers and their paymaster contracts. */
export interface ChainStore {
  saveChain(chain: ChainSettings): Promise<void>;
  listChains(): Promise<ChainSettings[]>;
  findChain(chainId: number): Promise<ChainSettings | undefined>;
  removeChain(chainId: number): Promise<boolean>;
  /** Replaces the signer of the chain; its paymaster contracts have to be checked anew. */
  saveSigner(signer: ChainSigner): Promise<void>;
  listSigners(): Promise<ChainSigner[]>;
  findSigner(chainId: number): Promise<ChainSigner | undefined>;
  savePaymasterContract(contract: PaymasterContract): Promise<void>;
  listPaymasterContracts(): Promise<PaymasterContract[]>;
  findPaymasterContract(chainId: number, version: string): Promise<PaymasterContract | undefined>;
}

/** Tokens in which users may pay. */
export interface FeeTokenStore {
  /** Adds the token, or replaces its settings. Tokens are told apart by chain and address, in any letter case. */
  saveFeeToken(token: FeeToken): Promise<void>;
  listFeeTokens(chainId?: number): Promise<FeeToken[]>;
  removeFeeToken(chainId: number, address: Address): Promise<boolean>;
}

/** Who uses the desk, and where. A clash with a unique name rejects with the error of the table that says so. */
export type RegistryStore = AccountStore & PaymasterStore & ApiKeyStore & ChainStore & FeeTokenStore;
