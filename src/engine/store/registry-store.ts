import type { CoinPriceSource } from '../../shared/schema/coin-price.ts';
import type { FeeToken } from '../../shared/schema/fee-token.ts';
import type { Address } from '../../shared/schema/hex.ts';

/** An account: the owner of DApps. Times in epoch ms, here and below. */
export interface Account {
  accountId: string;
  name: string;
  createdAt: number;
}

/** An auth token; of the token itself only a hash is kept. */
export interface AuthToken {
  tokenId: string;
  accountId: string;
  label: string;
  createdAt: number;
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
  apiKey: string;
  version: string;
  fundingWallet: Address | null;
  /** Origins from which browsers may use the API key; `*` is any. */
  allowedOrigins: readonly string[];
  /** The longest `expiryDuration` that a request may ask for. */
  maxExpirySeconds: number;
  /** Absent: its name, without an icon. */
  sponsor?: SponsorAnswer;
  createdAt: number;
}

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
  /** Null: whatever is within the other rules may be signed. */
  breaker: Breaker | null;
  /** Wei, decimal: the most that may be signed for while the node is unreachable; null: nothing is. */
  unreachableBudgetWei: string | null;
  /** Wei that one operation may cost at most, decimal; null: by the chain's prices. */
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
  listAccounts(): Promise<Account[]>;
  findAccount(accountId: string): Promise<Account | undefined>;
  createAuthToken(token: AuthToken, hash: string): Promise<void>;
  listAuthTokens(accountId?: string): Promise<AuthToken[]>;
  /** Marks the token revoked; a token revoked before keeps its time. Undefined if there is none. */
  revokeAuthToken(tokenId: string, at: number): Promise<AuthToken | undefined>;
  /** The account for which an unrevoked token with this hash acts. */
  accountOfToken(hash: string): Promise<string | undefined>;
}

/** DApps and their funding wallets. */
export interface PaymasterStore {
  createPaymaster(paymaster: Paymaster): Promise<void>;
  listPaymasters(accountId?: string): Promise<Paymaster[]>;
  findPaymaster(paymasterId: string): Promise<Paymaster | undefined>;
  /** How many DApps there are on a chain. */
  countPaymasters(chainId: number): Promise<number>;
  findPaymasterByApiKey(apiKey: string): Promise<Paymaster | undefined>;
  /** Undefined if there is no such paymaster. */
  setAllowedOrigins(paymasterId: string, origins: readonly string[]): Promise<Paymaster | undefined>;
  /** Undefined if there is no such paymaster. */
  renamePaymaster(paymasterId: string, name: string): Promise<Paymaster | undefined>;
  /** Undefined if there is no such paymaster. */
  setApiKey(paymasterId: string, apiKey: string): Promise<Paymaster | undefined>;
  /** Undefined if there is no such paymaster. */
  setMaxExpiry(paymasterId: string, seconds: number): Promise<Paymaster | undefined>;
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
export type RegistryStore = AccountStore & PaymasterStore & ChainStore & FeeTokenStore;
