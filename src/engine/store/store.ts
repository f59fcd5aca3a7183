import type { DecisionRecord } from '../../shared/schema/decision.ts';
import type { FeeToken } from '../../shared/schema/fee-token.ts';
import type { Address } from '../../shared/schema/hex.ts';
import type { SpendingLimit } from '../../shared/schema/rule.ts';
import type { OperatorTransactionStore } from './operator-transaction-store.ts';
import type { SettlementStore } from './settlement-store.ts';

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

/** A registered smart contract; it is listed among the rules under `ruleId`. */
export interface SmartContract {
  ruleId: string;
  paymasterId: string;
  name: string;
  address: Address;
  abi: string;
  methods: string[];
  whitelistedMethods: string[];
  active: boolean;
}

/** What a rule binds, by its type. */
export type RulePolicy =
  | { policyType: 'PAYMASTER_SA_LIMIT'; policyData: SpendingLimit }
  | { policyType: 'WEBHOOK'; policyData: { url: string; failOpen?: boolean | undefined } }
  | { policyType: 'WALLET_DEPLOYMENT'; policyData: { operator: 'walletDeployment' } };

/** A rule of a DApp. */
export type Rule = RulePolicy & {
  ruleId: string;
  paymasterId: string;
  name: string;
  active: boolean;
  /** How often a spending limit was updated: each update starts its windows anew. */
  cycle: number;
};

/** A registered webhook. */
export interface Webhook {
  webhookId: string;
  paymasterId: string;
  webhookUrl: string;
  requestType: 'GET' | 'POST';
  active: boolean;
}

/** Everything that decides for one DApp, read at one moment. */
export interface DappPolicy {
  /** Grows with every change of the contracts, rules or webhooks of the DApp. */
  revision: number;
  contracts: SmartContract[];
  rules: Rule[];
  webhooks: Webhook[];
  /** The operator's word for when the tank is low, wei. */
  lowTankWei?: bigint;
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

/**
 * What a claim is on: a balance on chain (`tank`: a gas tank's wei, a user's tokens, until the chain has taken them), a limit on operations (1 each), or a limit on
 * spending (wei, the maximum until the actual cost is known).
 */
export type ClaimKind = 'tank' | 'count' | 'spend';

/**
 * Accounts in the order of their keys, such as the minutes of an hour. What they hold together counts, from one of them
 * on; earlier ones are forgotten. What was claimed from them is never given back.
 */
export interface AccountRow {
  /** What all of their keys begin with, and no others do. */
  prefix: string;
  /** What the key of the first that counts has behind that. */
  from: string;
}

/** What a decision takes from an account of the ledger. */
export interface Claim {
  /** Names the account: a balance on chain, or one window of a limit. */
  key: string;
  kind: ClaimKind;
  amount: bigint;
  /** The account is one of many that count together. */
  row?: AccountRow;
}

/** What is signed for one DApp and may still be taken: neither mined nor released. */
export interface OpenPromise {
  paymasterId: string;
  chainId: number;
  promisedWei: bigint;
  operations: number;
}

/** An operation as limits count it. */
export interface CountedOperation {
  sender: Address;
  /** Epoch ms. */
  at: number;
  /** Actual cost, or the maximum where that is not known. */
  costWei: bigint;
}

/** What the users of a limit per user hold in one window. */
export interface WindowUsers {
  /** How many there are. */
  users: number;
  /** How many have nothing left. */
  atLimit: number;
  /** Those who hold the most, the most first: address in lower case, operations or wei. */
  nearest: { user: Address; used: bigint }[];
}

/** What was paid for operations in some time. */
export interface PaidSince {
  paidWei: bigint;
  /** Epoch ms; undefined where nothing was paid. */
  firstAt: number | undefined;
}

/** A pause of all sponsorship. */
export interface Pause {
  since: number;
  /** The operator's own words; null where he gave none. */
  reason: string | null;
}

/** A decision about to be stored; the store gives it its `seq`. */
export type DecisionDraft = Omit<DecisionRecord, 'seq'>;

/** What a decision stands on when it is written. */
export interface LedgerFacts {
  readonly claims: readonly Claim[];
  /** {@link Store.settlements} before the balance of the tank was read. */
  readonly settlements: number;
}

/** How a decision ends, given what the accounts it claims from hold at that moment. */
export interface Conclusion {
  decision: DecisionDraft;
  /** True to reserve the claims together with the decision. */
  reserve: boolean;
  /** Pauses all sponsorship with the decision. A pause that there is already stays as it is. */
  pause?: Pause | undefined;
}

/** Which decisions are asked for; what is not given does not filter. */
export interface DecisionQuery {
  paymasterId?: string | undefined;
  /** Only of the DApps of this account. */
  accountId?: string | undefined;
  /** In lower case, as it is stored. */
  sender?: string | undefined;
  outcome?: DecisionRecord['outcome'] | undefined;
  /** The deciding rule. */
  rule?: string | undefined;
  /** Only decisions made at this time (epoch ms) or later. */
  from?: number | undefined;
  /** Only decisions made before this time (epoch ms). */
  to?: number | undefined;
}

/** Filters of the decision list. */
export interface DecisionFilter extends DecisionQuery {
  /** In lower case. Finds sponsored operations, also by another hash under which they were mined. */
  userOpHash?: string | undefined;
  decisionId?: string | undefined;
  /** Only decisions with a smaller `seq`. */
  before?: number | undefined;
  limit: number;
}

/** How often each outcome came. */
export type OutcomeCounts = Record<DecisionRecord['outcome'], number>;

/** Decisions of a time that is divided into equal steps. */
export interface DecisionSummary {
  /** One per step, oldest first. */
  outcomes: OutcomeCounts[];
  /** Denials by deciding rule. */
  rules: Map<string, number>;
  /** Wei by chain, one per step: the actual cost, or the maximum while it is reserved. */
  spent: Map<number, bigint[]>;
}

/** A page of decisions, oldest first. */
export interface DecisionPage {
  /** Fewer than the limit, too, where they are big: a page takes up no more than about 1 MiB and one decision. */
  decisions: DecisionRecord[];
  /** Whatever matches up to this `seq` is in this page or before it: the next page begins after it. */
  upTo: number;
  /** False: there was nothing after `upTo`. */
  more: boolean;
}

/**
 * Storage as coarse, atomic operations, so that another database can stand behind it. When a promise resolves,
 * what it wrote is durable. A clash with a unique name or address rejects with the error of the table that says so.
 */
export interface Store extends SettlementStore, OperatorTransactionStore {
  createAccount(account: Account): Promise<void>;
  listAccounts(): Promise<Account[]>;
  findAccount(accountId: string): Promise<Account | undefined>;

  createAuthToken(token: AuthToken, hash: string): Promise<void>;
  listAuthTokens(accountId?: string): Promise<AuthToken[]>;
  /** Marks the token revoked; a token revoked before keeps its time. Undefined if there is none. */
  revokeAuthToken(tokenId: string, at: number): Promise<AuthToken | undefined>;
  /** The account for which an unrevoked token with this hash acts. */
  accountOfToken(hash: string): Promise<string | undefined>;

  createPaymaster(paymaster: Paymaster): Promise<void>;
  listPaymasters(accountId?: string): Promise<Paymaster[]>;
  findPaymaster(paymasterId: string): Promise<Paymaster | undefined>;
  findPaymasterByApiKey(apiKey: string): Promise<Paymaster | undefined>;
  /** Undefined if there is no such paymaster. */
  setAllowedOrigins(paymasterId: string, origins: readonly string[]): Promise<Paymaster | undefined>;
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

  createContract(contract: SmartContract): Promise<void>;
  /** Sets the whitelisted methods; undefined if the address is not registered. */
  updateContract(paymasterId: string, address: Address, methods: string[]): Promise<SmartContract | undefined>;
  findContract(paymasterId: string, address: Address): Promise<SmartContract | undefined>;
  deleteContract(paymasterId: string, address: Address): Promise<boolean>;

  createRule(rule: Rule): Promise<void>;
  /** Replaces name and limit of a spending limit. False if there is none with this id. */
  updateLimit(paymasterId: string, ruleId: string, name: string, limit: SpendingLimit): Promise<boolean>;
  /** Pauses or unpauses a rule or a registered contract. False if there is none with this id. */
  setRuleActive(paymasterId: string, ruleId: string, active: boolean): Promise<boolean>;

  createWebhook(webhook: Webhook): Promise<void>;
  /** True for a registered webhook and for a rule of type WEBHOOK. */
  isWebhook(id: string): Promise<boolean>;
  setWebhookActive(paymasterId: string, webhookId: string, active: boolean): Promise<boolean>;
  deleteWebhook(paymasterId: string, webhookId: string): Promise<boolean>;

  /** Says below what balance the tank is low, wei; null: below so many operations. */
  setLowTank(paymasterId: string, lowWei: bigint | null): Promise<void>;
  /** The same object as long as nothing changes, so that what is derived from it can be kept. Not to be written to. */
  dappPolicy(paymasterId: string): Promise<DappPolicy>;

  saveChain(chain: ChainSettings): Promise<void>;
  listChains(): Promise<ChainSettings[]>;
  findChain(chainId: number): Promise<ChainSettings | undefined>;
  removeChain(chainId: number): Promise<boolean>;

  /** Adds the token, or replaces its settings. Tokens are told apart by chain and address, in any letter case. */
  saveFeeToken(token: FeeToken): Promise<void>;
  listFeeTokens(chainId?: number): Promise<FeeToken[]>;
  removeFeeToken(chainId: number, address: Address): Promise<boolean>;

  /** Replaces the signer of the chain; its paymaster contracts have to be checked anew. */
  saveSigner(signer: ChainSigner): Promise<void>;
  listSigners(): Promise<ChainSigner[]>;
  findSigner(chainId: number): Promise<ChainSigner | undefined>;

  savePaymasterContract(contract: PaymasterContract): Promise<void>;
  listPaymasterContracts(): Promise<PaymasterContract[]>;
  findPaymasterContract(chainId: number, version: string): Promise<PaymasterContract | undefined>;

  /**
   * Grows whenever settlement gives back what a tank had promised (a balance read before it is out of date then), a
   * withdrawal is recorded or ends, a chain's settings change, or sponsorship is resumed.
   */
  settlements(): Promise<number>;
  /** What all decisions together hold of each claimed account, in the order of the claims. */
  heldOf(claims: readonly Claim[]): Promise<bigint[]>;
  /** The accounts whose key begins with `prefix` and ends with the user: how near they are to the threshold. */
  windowUsers(window: { prefix: string; threshold: bigint; most: number }): Promise<WindowUsers>;
  /**
   * One atomic step: hands `conclude` what other decisions hold of each claimed account, in the order of the claims,
   * and writes the decision and its reservation. Nothing else touches these accounts in between. What `conclude`
   * throws rejects the promise, with nothing written. It may be called twice, with other holdings: where another write of
   * the same commit failed.
   *
   * @returns undefined, with nothing written, if `settlements` is no longer what it was when the facts were read
   */
  decideAndReserve(
    facts: LedgerFacts,
    conclude: (held: readonly bigint[]) => Conclusion,
  ): Promise<DecisionRecord | undefined>;
  /**
   * Holds the claims while `run` lasts, for what is recorded only when it is done: the others see them as held. They are
   * held from the moment `check` was asked, which throws if they cannot be had besides what is held already.
   *
   * @returns what `run` answers; undefined, with nothing run, if `settlements` is no longer what it was
   */
  holdWhile<T>(
    facts: LedgerFacts,
    check: (held: readonly bigint[]) => void,
    run: () => Promise<T>,
  ): Promise<T | undefined>;
  /** Writes a decision that reserves nothing. */
  appendDecision(decision: DecisionDraft): Promise<DecisionRecord>;
  /** Newest first. */
  listDecisions(filter: DecisionFilter): Promise<DecisionRecord[]>;
  /** Oldest first, those with a `seq` greater than `after`. */
  pageDecisions(page: DecisionQuery & { after: number; limit: number }): Promise<DecisionPage>;
  findDecision(decisionId: string): Promise<DecisionRecord | undefined>;
  countDecisions(): Promise<number>;
  /** What was decided from `from` (epoch ms) on, in so many steps of `stepMs`; the last holds all later ones too. */
  summarizeDecisions(time: { from: number; stepMs: number; steps: number }): Promise<DecisionSummary>;

  /** What settled operations of the DApps that were decided from `from` (epoch ms) on did cost, and when the first was. */
  paidSince(query: { paymasterIds: readonly string[]; from: number; to: number }): Promise<PaidSince>;

  /** Pauses all sponsorship, or ends the pause with null. */
  savePause(pause: Pause | null): Promise<void>;
  /** Null while operations are sponsored. */
  findPause(): Promise<Pause | null>;
  /** How often a pause has ended. */
  resumes(): Promise<number>;

  /** What the reserved decisions hold of their tanks, by DApp; those without any are not named. */
  openPromises(): Promise<OpenPromise[]>;
  /** What limits would have counted of a DApp since `from`, newest first and at most so many: sponsored, or denied by a limit. */
  countedOperations(query: { paymasterId: string; from: number; most: number }): Promise<CountedOperation[]>;

  /**
   * Writes everything to a database file of its own, as it is at the moment this resolves, while others go on reading
   * and writing. Rejects when `signal` aborts; what is in the file then is of no use.
   */
  copyTo(file: string, signal: AbortSignal): Promise<void>;
  /** The schema of the database: the number of its newest migration. */
  schemaVersion(): Promise<number>;
  /** Problems the database finds in itself; empty when it is sound. */
  integrityFaults(): Promise<string[]>;
  close(): Promise<void>;
}
