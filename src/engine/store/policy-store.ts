import type { Policy, PolicyContract, PolicyRule, PolicyWebhook } from '../../core/policy/policy.ts';
import type { Binding } from '../../core/rules/binding.ts';
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
