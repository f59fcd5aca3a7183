import { type Binding, type KeptBinding, keptBinding } from '../../core/binding.ts';
import { type Policy, policyHash } from '../../core/policy.ts';
import { EngineError } from '../../shared/errors.ts';
import type { DappPolicy, Rule, SmartContract, Webhook } from './policy-store.ts';

/** A contract as it is stored. */
export interface ContractRow extends Omit<SmartContract, 'methods' | 'whitelistedMethods' | 'active'> {
  methods: string;
  whitelistedMethods: string;
  active: number;
}
/** A rule as it is stored. */
export interface RuleRow extends Omit<Rule, 'policyData' | 'active' | keyof Binding> {
  policyData: string;
  active: number;
  binding: string;
}
/** A webhook as it is stored. */
export interface WebhookRow extends Omit<Webhook, 'active'> {
  active: number;
}
/** What of a policy is stored with its DApp. */
export interface DappRow {
  revision: number;
  lowBalanceThresholdWei: string | null;
}

/** SQL of contracts. */
export const CONTRACT = `SELECT rule_id AS "ruleId", paymaster_id AS "paymasterId", name, address, abi, methods,
  whitelisted_methods AS "whitelistedMethods", active FROM smart_contract`;
/** SQL of rules. */
export const RULE = `SELECT rule_id AS "ruleId", paymaster_id AS "paymasterId", name, policy_type AS "policyType",
  policy_data AS "policyData", active, cycle, binding FROM rule`;
/** SQL of webhooks. */
export const WEBHOOK = `SELECT webhook_id AS "webhookId", paymaster_id AS "paymasterId", webhook_url AS "webhookUrl",
  request_type AS "requestType", active FROM webhook`;
/** SQL of what is stored with a DApp. */
export const DAPP = 'SELECT rule_revision AS revision, low_tank_wei AS "lowBalanceThresholdWei" FROM paymaster';

/** The contract of a row. */
export const toContract = (row: ContractRow): SmartContract => ({
  ...row,
  methods: JSON.parse(row.methods) as string[],
  whitelistedMethods: JSON.parse(row.whitelistedMethods) as string[],
  active: row.active === 1,
});
/** The row of a contract. */
export const ofContract = (value: SmartContract): ContractRow => ({
  ...value,
  methods: JSON.stringify(value.methods),
  whitelistedMethods: JSON.stringify(value.whitelistedMethods),
  active: Number(value.active),
});

const toRule = ({ binding, ...row }: RuleRow): Rule => ({
  ...row,
  policyData: JSON.parse(row.policyData) as unknown,
  active: row.active === 1,
  ...(JSON.parse(binding) as KeptBinding),
});
/** The row of a rule. */
export const ofRule = (value: Rule): RuleRow => ({
  ...value,
  policyData: JSON.stringify(value.policyData),
  active: Number(value.active),
  binding: JSON.stringify(keptBinding(value)),
});

const toWebhook = (row: WebhookRow): Webhook => ({ ...row, active: row.active === 1 });
/** The row of a webhook. */
export const ofWebhook = (value: Webhook): WebhookRow => ({ ...value, active: Number(value.active) });

/** What a DApp has, by its rows. */
export interface PolicyRows {
  readonly contracts: readonly ContractRow[];
  readonly rules: readonly RuleRow[];
  readonly webhooks: readonly WebhookRow[];
}

/**
 * The policy of a DApp.
 *
 * @param dapp undefined where there is none
 */
export const toPolicy = (dapp: DappRow | undefined, { contracts, rules, webhooks }: PolicyRows): DappPolicy => {
  const { revision = 0, lowBalanceThresholdWei = null } = dapp ?? {};
  return {
    revision,
    contracts: contracts.map(toContract),
    rules: rules.map(toRule),
    webhooks: webhooks.map(toWebhook),
    ...(lowBalanceThresholdWei !== null && { lowBalanceThresholdWei: BigInt(lowBalanceThresholdWei) }),
  };
};

/** SQL that counts what a DApp has. @param dapp the parameter that is its id */
export const countsOf = (dapp: string): string => `SELECT
  (SELECT count(*) FROM rule WHERE paymaster_id = ${dapp}) AS rules,
  (SELECT count(*) FROM smart_contract WHERE paymaster_id = ${dapp}) AS contracts,
  (SELECT CAST(coalesce(sum(length(abi)), 0) AS INTEGER) FROM smart_contract WHERE paymaster_id = ${dapp})
    AS "abiCharacters",
  (SELECT count(*) FROM webhook WHERE paymaster_id = ${dapp})
    + (SELECT count(*) FROM rule WHERE paymaster_id = ${dapp} AND policy_type = 'WEBHOOK') AS webhooks,
  (SELECT count(*) FROM api_key WHERE paymaster_id = ${dapp} AND revoked_at IS NULL) AS "apiKeys"`;

/** Whether the text of a stored revision is what its hash says. */
export const isPolicyOf = (hash: string, json: string): boolean => {
  try {
    return policyHash(JSON.parse(json) as Policy) === hash;
  } catch {
    return false;
  }
};

/** The policy in the text of a stored revision. @throws EngineError `STORAGE_FAILED` where it is not what its hash says */
export const storedPolicy = (hash: string, json: string): Policy => {
  if (isPolicyOf(hash, json)) return JSON.parse(json) as Policy;
  const message = `The stored policy revision ${hash} is damaged: its text has another hash. Restore a backup`;
  throw new EngineError('STORAGE_FAILED', message, { revision: hash });
};
