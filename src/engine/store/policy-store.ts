import type { Policy, PolicyContract, PolicyRule, PolicyWebhook } from '../../core/policy/policy.ts';
import type { Binding } from '../../core/rules/binding.ts';
import type { Address } from '../../shared/schema/hex.ts';
import type { Dapp } from './registry-store.ts';

export type SmartContract = PolicyContract & { readonly paymasterId: string };

export interface Rule extends PolicyRule {
  paymasterId: string;
}

export interface RuleUpdate extends Binding {
  readonly name: string;
  readonly policyData: unknown;
  /** True: the rule's cycle restarts with nothing counted. */
  readonly restarts: boolean;
}

export type Webhook = PolicyWebhook & { readonly paymasterId: string };

/** All settings that decisions for one DApp depend on, read at one moment. */
export interface DappPolicy {
  /** Grows with every change to the DApp's contracts, rules or webhooks. */
  revision: number;
  contracts: SmartContract[];
  rules: Rule[];
  webhooks: Webhook[];
  /** The operator's threshold for a low tank, wei. */
  lowBalanceThresholdWei?: bigint;
}

export interface Pause {
  since: number;
  /** The reason given by the operator or the breaker; null if none was given. */
  reason: string | null;
}

/** Identifies the settings for a decision: those of a DApp, and those of its chain. */
export type SettingsScope = Readonly<Pick<Dapp, 'paymasterId' | 'chainId'>>;

export interface PolicyRevision {
  readonly hash: string;
  readonly policy: Policy;
}

/** @param at when the policy came into force, epoch ms */
export interface PolicyTime {
  readonly hash: string;
  readonly at: number;
}

export type OperatorPolicy = Pick<Policy, 'contracts' | 'rules' | 'webhooks' | 'lowBalanceThresholdWei'> &
  Pick<Policy['dapp'], 'allowedOrigins' | 'maxExpirySeconds' | 'tokenMode'>;

/** A duplicate of a unique name or address rejects with that constraint's EngineError. */
export interface DappPolicyStore {
  createContract(contract: SmartContract): Promise<void>;
  /** Sets the whitelisted methods. Returns undefined if the address is not registered. */
  updateContract(paymasterId: string, address: Address, methods: string[]): Promise<SmartContract | undefined>;
  findContract(paymasterId: string, address: Address): Promise<SmartContract | undefined>;
  deleteContract(paymasterId: string, address: Address): Promise<boolean>;
  createRule(rule: Rule): Promise<void>;
  /** Replaces a rule's content and when it applies. False if no rule has this id; registered contracts do not count. */
  updateRule(paymasterId: string, ruleId: string, update: RuleUpdate): Promise<boolean>;
  /** Deletes a rule. False if no rule has this id; registered contracts do not count. */
  deleteRule(paymasterId: string, ruleId: string): Promise<boolean>;
  /** Pauses or unpauses a rule or a registered contract. False if none has this id. */
  setRuleActive(paymasterId: string, ruleId: string, active: boolean): Promise<boolean>;
  createWebhook(webhook: Webhook): Promise<void>;
  /** Whether a registered webhook, or a rule of type WEBHOOK, has this id. */
  isWebhook(id: string): Promise<boolean>;
  setWebhookActive(paymasterId: string, webhookId: string, active: boolean): Promise<boolean>;
  setWebhookUrl(paymasterId: string, webhookId: string, webhookUrl: string): Promise<boolean>;
  deleteWebhook(paymasterId: string, webhookId: string): Promise<boolean>;
  /** Sets the balance in wei below which the tank is low; null: the cost of a number of operations. */
  setLowBalanceThreshold(paymasterId: string, lowBalanceThresholdWei: bigint | null): Promise<void>;
  /**
   * Replaces the complete policy. If the version of the settings has changed ({@link PolicyStore.settingsVersion}),
   * changes nothing and returns false.
   */
  replaceDappPolicy(scope: SettingsScope, version: number, policy: OperatorPolicy): Promise<boolean>;
  /** The policy, which must not be modified. A cache of derived data must compare the revision. */
  dappPolicy(paymasterId: string): Promise<DappPolicy>;
}

/** All changes are durable when the promise resolves. */
export interface PauseStore {
  savePause(pause: Pause | null): Promise<void>;
  /** Null while operations are sponsored. */
  findPause(): Promise<Pause | null>;
  saveDappPause(paymasterId: string, pause: Pause | null): Promise<void>;
  listDappPauses(): Promise<ReadonlyMap<string, Pause>>;
  /** Number of pauses that have ended: of all sponsorship, and of this DApp alone. */
  resumes(paymasterId: string): Promise<{ desk: number; dapp: number }>;
}

/** Policy revisions, which are kept forever, and when each was in force. */
export interface PolicyRevisionStore {
  /** Grows whenever {@link PolicyStore.settingsVersion} grows for any DApp or chain. */
  settingsChanges(): Promise<number>;
  /**
   * Records a revision as being in force. False, with nothing written, if it is already the last one. @param at epoch
   * ms
   */
  recordPolicy(paymasterId: string, revision: PolicyRevision, at: number): Promise<boolean>;
  /** Newest first. */
  policyHistory(paymasterId: string, limit: number): Promise<PolicyTime[]>;
  /** Up to two revisions of a DApp whose hash begins with `start`. */
  findRevisions(paymasterId: string, start: string): Promise<string[]>;
  findPolicy(hash: string): Promise<Policy | undefined>;
}

export interface PolicyStore extends DappPolicyStore, PauseStore, PolicyRevisionStore {
  /**
   * Grows with every change to a setting on which a DApp's decisions or signed data depend: its contracts, rules,
   * webhooks, low balance and funding wallet, and its chain's signer, paymaster contracts, fee tokens and settings.
   */
  settingsVersion(scope: SettingsScope): Promise<number>;
}
