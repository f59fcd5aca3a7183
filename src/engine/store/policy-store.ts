import type { Policy, PolicyContract, PolicyRule, PolicyWebhook } from '../../core/policy.ts';
import type { Binding } from '../../core/binding.ts';
import type { Address } from '../../shared/schema/hex.ts';
import type { Paymaster } from './registry-store.ts';

/** A registered smart contract of a DApp. */
export type SmartContract = PolicyContract & { readonly paymasterId: string };

/** A rule of a DApp. */
export interface Rule extends PolicyRule {
  paymasterId: string;
}

/** What a rule says from now on. */
export interface RuleUpdate extends Binding {
  readonly name: string;
  readonly policyData: unknown;
  /** Its cycle begins anew: it has counted nothing yet. */
  readonly restarts: boolean;
}

/** A registered webhook of a DApp. */
export type Webhook = PolicyWebhook & { readonly paymasterId: string };

/** Everything that decides for one DApp, read at one moment. */
export interface DappPolicy {
  /** Grows with every change of the contracts, rules or webhooks of the DApp. */
  revision: number;
  contracts: SmartContract[];
  rules: Rule[];
  webhooks: Webhook[];
  /** The operator's word for when the tank is low, wei. */
  lowBalanceThresholdWei?: bigint;
}

/** A pause of all sponsorship, or of one DApp. */
export interface Pause {
  since: number;
  /** The operator's own words, or the breaker's; null where there are none. */
  reason: string | null;
}

/** Whose settings decide: those of a DApp, and of its chain. */
export type SettingsScope = Readonly<Pick<Paymaster, 'paymasterId' | 'chainId'>>;

/** One revision of a DApp's policy, by its name. */
export interface PolicyRevision {
  readonly hash: string;
  readonly policy: Policy;
}

/** A revision of a DApp's policy, and when it came into force, epoch ms. */
export interface PolicyTime {
  readonly hash: string;
  readonly at: number;
}

/** All that an operator sets of a DApp's policy. */
export type OperatorPolicy = Pick<Policy, 'contracts' | 'rules' | 'webhooks' | 'lowBalanceThresholdWei'> &
  Pick<Policy['dapp'], 'allowedOrigins' | 'maxExpirySeconds' | 'tokenMode'>;

/** Contracts, rules and webhooks. A clash with a unique name or address rejects with the error of the table that says so. */
export interface DappPolicyStore {
  createContract(contract: SmartContract): Promise<void>;
  /** Sets the whitelisted methods; undefined if the address is not registered. */
  updateContract(paymasterId: string, address: Address, methods: string[]): Promise<SmartContract | undefined>;
  findContract(paymasterId: string, address: Address): Promise<SmartContract | undefined>;
  deleteContract(paymasterId: string, address: Address): Promise<boolean>;
  createRule(rule: Rule): Promise<void>;
  /** Replaces what a rule says, and when it binds. False if there is none with this id; a registered contract is none. */
  updateRule(paymasterId: string, ruleId: string, update: RuleUpdate): Promise<boolean>;
  /** False if there is none with this id; a registered contract is none. */
  deleteRule(paymasterId: string, ruleId: string): Promise<boolean>;
  /** Pauses or unpauses a rule or a registered contract. False if there is none with this id. */
  setRuleActive(paymasterId: string, ruleId: string, active: boolean): Promise<boolean>;
  createWebhook(webhook: Webhook): Promise<void>;
  /** True for a registered webhook and for a rule of type WEBHOOK. */
  isWebhook(id: string): Promise<boolean>;
  setWebhookActive(paymasterId: string, webhookId: string, active: boolean): Promise<boolean>;
  /** False if there is none with this id. */
  setWebhookUrl(paymasterId: string, webhookId: string, webhookUrl: string): Promise<boolean>;
  deleteWebhook(paymasterId: string, webhookId: string): Promise<boolean>;
  /** Says below what balance the tank is low, wei; null: below so many operations. */
  setLowBalanceThreshold(paymasterId: string, lowBalanceThresholdWei: bigint | null): Promise<void>;
  /**
   * Puts a policy in the place of the one there is, all of it or nothing. False, with nothing changed, if the settings are
   * no longer of that version ({@link PolicyStore.settingsVersion}).
   */
  replaceDappPolicy(scope: SettingsScope, version: number, policy: OperatorPolicy): Promise<boolean>;
  /** Not to be written to. Whoever keeps what is derived from it compares its revision. */
  dappPolicy(paymasterId: string): Promise<DappPolicy>;
}

/** Pauses. Durable when the promise resolves. */
export interface PauseStore {
  /** Pauses all sponsorship, or ends the pause with null. */
  savePause(pause: Pause | null): Promise<void>;
  /** Null while operations are sponsored. */
  findPause(): Promise<Pause | null>;
  /** Pauses one DApp, or ends its pause with null. */
  saveDappPause(paymasterId: string, pause: Pause | null): Promise<void>;
  /** The DApps that are paused by themselves. */
  listDappPauses(): Promise<ReadonlyMap<string, Pause>>;
  /** How often a pause of all sponsorship has ended, and how often one of this DApp alone. */
  resumes(paymasterId: string): Promise<{ desk: number; dapp: number }>;
}

/** The revisions of policies, which are kept for ever, and which one was in force when. */
export interface PolicyRevisionStore {
  /** Grows with every change that {@link PolicyStore.settingsVersion} grows with, of any DApp or chain. */
  settingsChanges(): Promise<number>;
  /** Says that a revision is in force. False, with nothing written, if it is the one that was last. @param at epoch ms */
  recordPolicy(paymasterId: string, revision: PolicyRevision, at: number): Promise<boolean>;
  /** The newest first. */
  policyHistory(paymasterId: string, limit: number): Promise<PolicyTime[]>;
  /** Up to two revisions of a DApp whose name begins so. */
  findRevisions(paymasterId: string, start: string): Promise<string[]>;
  /** The policy revision of that name. */
  findPolicy(hash: string): Promise<Policy | undefined>;
}

/** What decides for a DApp. */
export interface PolicyStore extends DappPolicyStore, PauseStore, PolicyRevisionStore {
  /**
   * Grows with every change of what decides for a DApp or says what is signed for it: its contracts, rules, webhooks, low
   * balance and funding wallet, and the signer, paymaster contracts, fee tokens and settings of its chain.
   */
  settingsVersion(scope: SettingsScope): Promise<number>;
}
