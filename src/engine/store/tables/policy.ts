import { type DappCounts, countedOf, requireRoom } from '../../../core/policy/policy-bounds.ts';
import { type Binding, type StoredBinding, storedBinding } from '../../../core/rules/binding.ts';
import { type Address, addressKey } from '../../../shared/schema/hex.ts';
import type { DappPolicy, DappPolicyStore, Rule, SmartContract, Webhook } from '../policy-store.ts';
import type { Access, Clashes, Transaction } from '../access.ts';
import type { StepRows, Steps, Value } from '../rows.ts';

type ContractRow = Omit<SmartContract, 'methods' | 'whitelistedMethods' | 'active'> &
  Readonly<{ methods: string; whitelistedMethods: string; active: number }>;
type RuleRow = Omit<Rule, 'policyData' | 'active' | keyof Binding> &
  Readonly<{ policyData: string; active: number; binding: string }>;
type WebhookRow = Omit<Webhook, 'active'> & Readonly<{ active: number }>;
interface DappRow {
  readonly revision: number;
  readonly lowTankWei: string | null;
}

const CONTRACT = 'rule_id, paymaster_id, name, address, abi, methods, whitelisted_methods, active';
const RULE = 'rule_id, paymaster_id, name, policy_type, policy_data, active, cycle, binding';
const WEBHOOK = 'webhook_id, paymaster_id, webhook_url, request_type, active';
const DAPP = 'SELECT rule_revision AS revision, low_tank_wei FROM paymaster WHERE paymaster_id = $1';

/** Counts a DApp's items whose number is limited. */
export const COUNTS = `SELECT
  (SELECT count(*) FROM rule WHERE paymaster_id = $1) AS rules,
  (SELECT count(*) FROM smart_contract WHERE paymaster_id = $1) AS contracts,
  (SELECT CAST(coalesce(sum(length(abi)), 0) AS INTEGER) FROM smart_contract WHERE paymaster_id = $1)
    AS "abiCharacters",
  (SELECT count(*) FROM webhook WHERE paymaster_id = $1)
    + (SELECT count(*) FROM rule WHERE paymaster_id = $1 AND policy_type = 'WEBHOOK') AS webhooks,
  (SELECT count(*) FROM api_key WHERE paymaster_id = $1 AND revoked_at IS NULL) AS "apiKeys"`;

const CONTRACT_CLASHES = {
  smart_contract_address_key: 'CONTRACT_ADDRESS_EXISTS',
  smart_contract_name: 'CONTRACT_NAME_EXISTS',
} as const;
const RULE_CLASHES = { rule_name: 'RULE_NAME_EXISTS' } as const;

const toContract = (row: ContractRow): SmartContract => ({
  ...row,
  methods: JSON.parse(row.methods) as string[],
  whitelistedMethods: JSON.parse(row.whitelistedMethods) as string[],
  active: row.active === 1,
});

const toRule = ({ binding, ...row }: RuleRow): Rule => ({
  ...row,
  policyData: JSON.parse(row.policyData) as unknown,
  active: row.active === 1,
  ...(JSON.parse(binding) as StoredBinding),
});

const toWebhook = (row: WebhookRow): Webhook => ({ ...row, active: row.active === 1 });

const insertContract = (tx: StepRows, contract: SmartContract): Steps<number> =>
  tx.insert('smart_contract', `address_key, ${CONTRACT}`, {
    ...contract,
    addressKey: addressKey(contract.address),
    methods: JSON.stringify(contract.methods),
    whitelistedMethods: JSON.stringify(contract.whitelistedMethods),
    active: Number(contract.active),
  });

const insertRule = (tx: StepRows, rule: Rule): Steps<number> => {
  const [policyData, binding] = [JSON.stringify(rule.policyData), JSON.stringify(storedBinding(rule))];
  return tx.insert('rule', RULE, { ...rule, policyData, binding, active: Number(rule.active) });
};

const insertWebhook = (tx: StepRows, webhook: Webhook): Steps<number> =>
  tx.insert('webhook', WEBHOOK, { ...webhook, active: Number(webhook.active) });

/** Policies and rules. Every change increments the rule revision of its DApp. */
export const policyStore = ({ rows, write, cache }: Access): DappPolicyStore => {
  /** Policies as last read. They are valid while their revision is the current one. */
  const policies = new Map<string, DappPolicy>();

  /**
   * Runs a change, and increments the revision if any row changed.
   *
   * @param added the items that the change adds to the current policy
   */
  const change = function* (
    tx: Transaction,
    paymasterId: string,
    rowsChanged: Steps<number>,
    added?: (counts: DappCounts) => Partial<DappCounts>,
  ): Steps<boolean> {
    if ((yield* rowsChanged) === 0) return false;
    const counts = added && (yield* tx.get<DappCounts>(COUNTS, [paymasterId]));
    if (counts !== undefined) requireRoom(added?.(counts) ?? {});
    yield* tx.run('UPDATE paymaster SET rule_revision = rule_revision + 1 WHERE paymaster_id = $1', [paymasterId]);
    tx.settingsChanged({ dapp: paymasterId });
    return true;
  };
  /** Runs a statement whose first parameter is the DApp's id. */
  const update = (paymasterId: string, sql: string, values: readonly Value[], clashes?: Clashes): Promise<boolean> =>
    write((tx) => change(tx, paymasterId, tx.run(sql, [paymasterId, ...values])), clashes);

  const findContract = async (paymasterId: string, address: Address): Promise<SmartContract | undefined> => {
    const find = `SELECT ${CONTRACT} FROM smart_contract WHERE paymaster_id = $1 AND address_key = $2`;
    const row = await rows.get<ContractRow>(find, [paymasterId, addressKey(address)]);
    return row && toContract(row);
  };
  const inOrder = <Row>(columns: string, table: string, paymasterId: string): Promise<Row[]> =>
    rows.all<Row>(`SELECT ${columns} FROM ${table} WHERE paymaster_id = $1 ORDER BY place`, [paymasterId]);
  const readPolicy = async (paymasterId: string): Promise<DappPolicy> => {
    for (;;) {
      const policy = policies.get(paymasterId);
      const { revision = 0, lowTankWei = null } = (await rows.get<DappRow>(DAPP, [paymasterId])) ?? {};
      // The rows were read before the revision. If the revision is still the current one, they all have the state of
      // one moment.
      if (policy?.revision === revision) return policy;
      const [contracts, rules, webhooks] = await Promise.all([
        inOrder<ContractRow>(CONTRACT, 'smart_contract', paymasterId),
        inOrder<RuleRow>(RULE, 'rule', paymasterId),
        inOrder<WebhookRow>(WEBHOOK, 'webhook', paymasterId),
      ]);
      policies.set(paymasterId, {
        revision,
        contracts: contracts.map(toContract),
        rules: rules.map(toRule),
        webhooks: webhooks.map(toWebhook),
        ...(lowTankWei !== null && { lowBalanceThresholdWei: BigInt(lowTankWei) }),
      });
    }
  };

  return {
    async createContract(contract) {
      const added = ({ contracts, abiCharacters }: DappCounts) => ({ contracts, abiCharacters });
      await write((tx) => change(tx, contract.paymasterId, insertContract(tx, contract), added), CONTRACT_CLASHES);
    },
    async updateContract(paymasterId, address, methods) {
      const sql = 'UPDATE smart_contract SET whitelisted_methods = $2 WHERE paymaster_id = $1 AND address_key = $3';
      await update(paymasterId, sql, [JSON.stringify(methods), addressKey(address)]);
      return findContract(paymasterId, address);
    },
    findContract,
    deleteContract: (paymasterId, address) =>
      update(paymasterId, 'DELETE FROM smart_contract WHERE paymaster_id = $1 AND address_key = $2', [
        addressKey(address),
      ]),
    async createRule(rule) {
      const added = (counts: DappCounts) => countedOf(counts, rule.policyType);
      await write((tx) => change(tx, rule.paymasterId, insertRule(tx, rule), added), RULE_CLASHES);
    },
    updateRule(paymasterId, ruleId, to) {
      const sql = `UPDATE rule SET name = $2, policy_data = $3, binding = $4, cycle = cycle + $5
        WHERE paymaster_id = $1 AND rule_id = $6`;
      const [data, binding] = [JSON.stringify(to.policyData), JSON.stringify(storedBinding(to))];
      return update(paymasterId, sql, [to.name, data, binding, Number(to.restarts), ruleId], RULE_CLASHES);
    },
    deleteRule: (paymasterId, ruleId) =>
      update(paymasterId, 'DELETE FROM rule WHERE paymaster_id = $1 AND rule_id = $2', [ruleId]),
    setRuleActive: (paymasterId, ruleId, active) =>
      write((tx) => {
        const setBoth = function* (): Steps<number> {
          const values = [Number(active), paymasterId, ruleId];
          const rules = yield* tx.run('UPDATE rule SET active = $1 WHERE paymaster_id = $2 AND rule_id = $3', values);
          const ofContracts = 'UPDATE smart_contract SET active = $1 WHERE paymaster_id = $2 AND rule_id = $3';
          return rules + (yield* tx.run(ofContracts, values));
        };
        return change(tx, paymasterId, setBoth());
      }),
    async createWebhook(webhook) {
      const added = ({ webhooks }: DappCounts) => ({ webhooks });
      await write((tx) => change(tx, webhook.paymasterId, insertWebhook(tx, webhook), added));
    },
    async isWebhook(id) {
      const find = `SELECT 1 FROM webhook WHERE webhook_id = $1
        UNION ALL SELECT 1 FROM rule WHERE rule_id = $1 AND policy_type = 'WEBHOOK'`;
      return (await rows.get(find, [id])) !== undefined;
    },
    setWebhookActive: (paymasterId, webhookId, active) =>
      update(paymasterId, 'UPDATE webhook SET active = $2 WHERE paymaster_id = $1 AND webhook_id = $3', [
        Number(active),
        webhookId,
      ]),
    setWebhookUrl: (paymasterId, webhookId, webhookUrl) =>
      update(paymasterId, 'UPDATE webhook SET webhook_url = $2 WHERE paymaster_id = $1 AND webhook_id = $3', [
        webhookUrl,
        webhookId,
      ]),
    deleteWebhook: (paymasterId, webhookId) =>
      update(paymasterId, 'DELETE FROM webhook WHERE paymaster_id = $1 AND webhook_id = $2', [webhookId]),
    async setLowBalanceThreshold(paymasterId, lowBalanceThresholdWei) {
      const low = lowBalanceThresholdWei === null ? null : String(lowBalanceThresholdWei);
      await update(paymasterId, 'UPDATE paymaster SET low_tank_wei = $2 WHERE paymaster_id = $1', [low]);
    },
    replaceDappPolicy: (scope, version, policy) =>
      write(
        function* (tx) {
          if ((yield* tx.settingsVersion(scope)) !== version) return false;
          const { paymasterId } = scope;
          for (const table of ['smart_contract', 'rule', 'webhook']) {
            yield* tx.run(`DELETE FROM ${table} WHERE paymaster_id = $1`, [paymasterId]);
          }
          // The order of the rows is the order of the rules.
          for (const contract of policy.contracts) yield* insertContract(tx, { ...contract, paymasterId });
          for (const rule of policy.rules) yield* insertRule(tx, { ...rule, paymasterId });
          for (const webhook of policy.webhooks) yield* insertWebhook(tx, { ...webhook, paymasterId });
          const { lowBalanceThresholdWei, allowedOrigins, maxExpirySeconds, tokenMode } = policy;
          yield* tx.run(
            `UPDATE paymaster SET low_tank_wei = $1, allowed_origins = $2, max_expiry_s = $3, token_mode = $4,
               rule_revision = rule_revision + 1 WHERE paymaster_id = $5`,
            [lowBalanceThresholdWei, JSON.stringify(allowedOrigins), maxExpirySeconds, Number(tokenMode), paymasterId],
          );
          tx.settingsChanged({ dapp: paymasterId });
          return true;
        },
        { ...CONTRACT_CLASHES, ...RULE_CLASHES, smart_contract_name: 'RULE_NAME_EXISTS' },
      ),
    dappPolicy: cache.remembered(readPolicy),
  };
};
