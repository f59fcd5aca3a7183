import type Database from 'better-sqlite3';
import { storedBinding } from '../../../core/rules/binding.ts';
import { type DappCounts, countedOf, requireRoom } from '../../../core/policy/policy-bounds.ts';
import { type Address, addressKey } from '../../../shared/schema/hex.ts';
import {
  CONTRACT,
  type ContractRow,
  countsOf,
  DAPP,
  type DappRow,
  ofContract,
  ofRule,
  ofWebhook,
  RULE,
  type RuleRow,
  toContract,
  toPolicy,
  WEBHOOK,
  type WebhookRow,
} from '../policy-rows.ts';
import type { DappPolicy, DappPolicyStore, Rule, SmartContract, Webhook } from '../policy-store.ts';
import type { DappCache } from './memory.ts';
import { orClash } from './unique.ts';

type RowCount = (counts: DappCounts) => Partial<DappCounts>;

/** Writes rows of a DApp's policy. Each function returns the number of rows written. */
export const policyRows = (database: Database.Database) => {
  const contract = database.prepare(
    `INSERT INTO smart_contract VALUES (@ruleId, @paymasterId, @name, @address, @addressKey, @abi, @methods,
      @whitelistedMethods, @active)`,
  );
  const rule = database.prepare(
    `INSERT INTO rule (rule_id, paymaster_id, name, policy_type, policy_data, active, cycle, binding)
     VALUES (@ruleId, @paymasterId, @name, @policyType, @policyData, @active, @cycle, @binding)`,
  );
  const webhook = database.prepare(
    'INSERT INTO webhook VALUES (@webhookId, @paymasterId, @webhookUrl, @requestType, @active)',
  );
  return {
    insertContract: (value: SmartContract): number =>
      contract.run({ ...ofContract(value), addressKey: addressKey(value.address) }).changes,
    insertRule: (value: Rule): number => rule.run(ofRule(value)).changes,
    insertWebhook: (value: Webhook): number => webhook.run(ofWebhook(value)).changes,
  };
};

/**
 * Every change increments its DApp's rule revision.
 *
 * @param dappChanged called with the DApp of every change
 */
export const policyStore = (
  database: Database.Database,
  dappChanged: (paymasterId: string) => void,
): Omit<DappPolicyStore, 'replaceDappPolicy'> & DappCache => {
  const rows = policyRows(database);
  const counts = database.prepare<[{ dapp: string }], DappCounts>(countsOf('@dapp'));
  const setMethods = database.prepare<[string, string, string]>(
    'UPDATE smart_contract SET whitelisted_methods = ? WHERE paymaster_id = ? AND address_key = ?',
  );
  const contract = database.prepare<[string, string], ContractRow>(
    `${CONTRACT} WHERE paymaster_id = ? AND address_key = ?`,
  );
  const contracts = database.prepare<[string], ContractRow>(`${CONTRACT} WHERE paymaster_id = ? ORDER BY rowid`);
  const removeContract = database.prepare<[string, string]>(
    'DELETE FROM smart_contract WHERE paymaster_id = ? AND address_key = ?',
  );
  const updateRule = database.prepare<[string, string, string, number, string, string]>(
    `UPDATE rule SET name = ?, policy_data = ?, binding = ?, cycle = cycle + ? WHERE paymaster_id = ? AND rule_id = ?`,
  );
  const rules = database.prepare<[string], RuleRow>(`${RULE} WHERE paymaster_id = ? ORDER BY rowid`);
  const setRule = database.prepare<[number, string, string]>(
    'UPDATE rule SET active = ? WHERE paymaster_id = ? AND rule_id = ?',
  );
  const removeRule = database.prepare<[string, string]>('DELETE FROM rule WHERE paymaster_id = ? AND rule_id = ?');
  const setContract = database.prepare<[number, string, string]>(
    'UPDATE smart_contract SET active = ? WHERE paymaster_id = ? AND rule_id = ?',
  );
  const webhook = database.prepare<[string, string]>(
    `SELECT 1 FROM webhook WHERE webhook_id = ? UNION ALL SELECT 1 FROM rule WHERE rule_id = ? AND policy_type = 'WEBHOOK'`,
  );
  const webhooks = database.prepare<[string], WebhookRow>(`${WEBHOOK} WHERE paymaster_id = ? ORDER BY rowid`);
  const setWebhook = database.prepare<[number, string, string]>(
    'UPDATE webhook SET active = ? WHERE paymaster_id = ? AND webhook_id = ?',
  );
  const setUrl = database.prepare<[string, string, string]>(
    'UPDATE webhook SET webhook_url = ? WHERE paymaster_id = ? AND webhook_id = ?',
  );
  const removeWebhook = database.prepare<[string, string]>(
    'DELETE FROM webhook WHERE paymaster_id = ? AND webhook_id = ?',
  );
  const dapp = database.prepare<[string], DappRow>(`${DAPP} WHERE paymaster_id = ?`);
  const setLow = database.prepare<[string | null, string]>(
    'UPDATE paymaster SET low_tank_wei = ? WHERE paymaster_id = ?',
  );
  const advance = database.prepare<[string]>(
    'UPDATE paymaster SET rule_revision = rule_revision + 1 WHERE paymaster_id = ?',
  );
  /** Policies as last read, until they change: only this process writes to the database. */
  const policies = new Map<string, DappPolicy>();
  const changeAndAdvance = database.transaction(
    (paymasterId: string, write: () => number, added?: RowCount): boolean => {
      const changed = write() > 0;
      if (changed) advance.run(paymasterId);
      const all = added === undefined ? undefined : counts.get({ dapp: paymasterId });
      if (all !== undefined) requireRoom(added?.(all) ?? {});
      return changed;
    },
  );
  /**
   * Runs a change, and increments the revision if any row changed.
   *
   * @param added what it adds to, of the current policy
   */
  const change = (paymasterId: string, write: () => number, added?: RowCount): boolean => {
    const changed = changeAndAdvance(paymasterId, write, added);
    if (changed) {
      policies.delete(paymasterId);
      dappChanged(paymasterId);
    }
    return changed;
  };
  const readPolicy = database.transaction((paymasterId: string): DappPolicy =>
    toPolicy(dapp.get(paymasterId), {
      contracts: contracts.all(paymasterId),
      rules: rules.all(paymasterId),
      webhooks: webhooks.all(paymasterId),
    }),
  );
  const findContract = (paymasterId: string, address: Address): SmartContract | undefined => {
    const row = contract.get(paymasterId, addressKey(address));
    return row && toContract(row);
  };

  return {
    forget: (paymasterId) => void policies.delete(paymasterId),
    async createContract(value) {
      orClash({ address_key: 'CONTRACT_ADDRESS_EXISTS', name: 'CONTRACT_NAME_EXISTS' }, () =>
        change(
          value.paymasterId,
          () => rows.insertContract(value),
          ({ contracts, abiCharacters }) => ({ contracts, abiCharacters }),
        ),
      );
    },
    async updateContract(paymasterId, address, methods) {
      change(paymasterId, () => setMethods.run(JSON.stringify(methods), paymasterId, addressKey(address)).changes);
      return findContract(paymasterId, address);
    },
    async findContract(paymasterId, address) {
      return findContract(paymasterId, address);
    },
    async deleteContract(paymasterId, address) {
      return change(paymasterId, () => removeContract.run(paymasterId, addressKey(address)).changes);
    },
    async createRule(rule) {
      orClash({ name: 'RULE_NAME_EXISTS' }, () =>
        change(
          rule.paymasterId,
          () => rows.insertRule(rule),
          (all) => countedOf(all, rule.policyType),
        ),
      );
    },
    async updateRule(paymasterId, ruleId, update) {
      const { name, policyData, restarts } = update;
      const [data, binding] = [JSON.stringify(policyData), JSON.stringify(storedBinding(update))];
      return orClash({ name: 'RULE_NAME_EXISTS' }, () =>
        change(paymasterId, () => updateRule.run(name, data, binding, Number(restarts), paymasterId, ruleId).changes),
      );
    },
    async deleteRule(paymasterId, ruleId) {
      return change(paymasterId, () => removeRule.run(paymasterId, ruleId).changes);
    },
    async setRuleActive(paymasterId, ruleId, active) {
      const row = [Number(active), paymasterId, ruleId] as const;
      return change(paymasterId, () => setRule.run(...row).changes + setContract.run(...row).changes);
    },
    async createWebhook(value) {
      change(
        value.paymasterId,
        () => rows.insertWebhook(value),
        (all) => ({ webhooks: all.webhooks }),
      );
    },
    async isWebhook(id) {
      return webhook.get(id, id) !== undefined;
    },
    async setWebhookActive(paymasterId, webhookId, active) {
      return change(paymasterId, () => setWebhook.run(Number(active), paymasterId, webhookId).changes);
    },
    async setWebhookUrl(paymasterId, webhookId, webhookUrl) {
      return change(paymasterId, () => setUrl.run(webhookUrl, paymasterId, webhookId).changes);
    },
    async deleteWebhook(paymasterId, webhookId) {
      return change(paymasterId, () => removeWebhook.run(paymasterId, webhookId).changes);
    },
    async setLowBalanceThreshold(paymasterId, lowBalanceThresholdWei) {
      change(
        paymasterId,
        () => setLow.run(lowBalanceThresholdWei === null ? null : String(lowBalanceThresholdWei), paymasterId).changes,
      );
    },
    async dappPolicy(paymasterId) {
      const policy = policies.get(paymasterId) ?? readPolicy(paymasterId);
      policies.set(paymasterId, policy);
      return policy;
    },
  };
};
