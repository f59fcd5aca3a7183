import { type Binding, type StoredBinding, storedBinding } from '../../core/rules/binding.ts';
import { type Policy, policyHash } from '../../core/policy/policy.ts';
import { EngineError } from '../../shared/errors.ts';
import type { DappPolicy, Rule, SmartContract, Webhook } from './policy-store.ts';

export interface ContractRow extends Omit<SmartContract, 'methods' | 'whitelistedMethods' | 'active'> {
  methods: string;
  whitelistedMethods: string;
  active: number;
}
export interface RuleRow extends Omit<Rule, 'policyData' | 'active' | keyof Binding> {
  policyData: string;
  active: number;
  binding: string;
}
export interface WebhookRow extends Omit<Webhook, 'active'> {
  active: number;
}
export interface DappRow {
  revision: number;
  lowBalanceThresholdWei: string | null;
}

export const CONTRACT = `SELECT rule_id AS "ruleId", paymaster_id AS "paymasterId", name, address, abi, methods,
  whitelisted_methods AS "whitelistedMethods", active FROM smart_contract`;
export const RULE = `SELECT rule_id AS "ruleId", paymaster_id AS "paymasterId", name, policy_type AS "policyType",
  policy_data AS "policyData", active, cycle, binding FROM rule`;
export const WEBHOOK = `SELECT webhook_id AS "webhookId", paymaster_id AS "paymasterId", webhook_url AS "webhookUrl",
  request_type AS "requestType", active FROM webhook`;
export const DAPP = 'SELECT rule_revision AS revision, low_tank_wei AS "lowBalanceThresholdWei" FROM paymaster';

export const toContract = (row: ContractRow): SmartContract => ({
  ...row,
  methods: JSON.parse(row.methods) as string[],
  whitelistedMethods: JSON.parse(row.whitelistedMethods) as string[],
  active: row.active === 1,
});
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
  ...(JSON.parse(binding) as StoredBinding),
});
export const ofRule = (value: Rule): RuleRow => ({
  ...value,
  policyData: JSON.stringify(value.policyData),
  active: Number(value.active),
  binding: JSON.stringify(storedBinding(value)),
});

const toWebhook = (row: WebhookRow): Webhook => ({ ...row, active: row.active === 1 });
export const ofWebhook = (value: Webhook): WebhookRow => ({ ...value, active: Number(value.active) });

export interface PolicyRows {
  readonly contracts: readonly ContractRow[];
  readonly rules: readonly RuleRow[];
  readonly webhooks: readonly WebhookRow[];
}

/** The policy of a DApp. `dapp` is undefined if the DApp does not exist. */
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

/** SQL that counts what a DApp has. @param dapp the parameter with its id */
export const countsOf = (dapp: string): string => `SELECT
  (SELECT count(*) FROM rule WHERE paymaster_id = ${dapp}) AS rules,
  (SELECT count(*) FROM smart_contract WHERE paymaster_id = ${dapp}) AS contracts,
  (SELECT CAST(coalesce(sum(length(abi)), 0) AS INTEGER) FROM smart_contract WHERE paymaster_id = ${dapp})
    AS "abiCharacters",
  (SELECT count(*) FROM webhook WHERE paymaster_id = ${dapp})
    + (SELECT count(*) FROM rule WHERE paymaster_id = ${dapp} AND policy_type = 'WEBHOOK') AS webhooks,
  (SELECT count(*) FROM api_key WHERE paymaster_id = ${dapp} AND revoked_at IS NULL) AS "apiKeys"`;

export const isPolicyOf = (hash: string, json: string): boolean => {
  try {
    return policyHash(JSON.parse(json) as Policy) === hash;
  } catch {
    return false;
  }
};

/** The policy in a stored revision's text. @throws EngineError `STORAGE_FAILED` if it does not match its hash */
export const storedPolicy = (hash: string, json: string): Policy => {
  if (isPolicyOf(hash, json)) return JSON.parse(json) as Policy;
  const message = `The stored policy revision ${hash} is damaged: its text has another hash. Restore a backup`;
  throw new EngineError('STORAGE_FAILED', message, { revision: hash });
};
