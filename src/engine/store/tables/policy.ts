import { type DappCounts, countedOf, requireRoom } from '../../../core/policy/policy-bounds.ts';
import { type StoredBinding, storedBinding } from '../../../core/rules/binding.ts';
import { type Address, addressKey } from '../../../shared/schema/hex.ts';
import type {
  DappPolicy,
  OperatorPolicy,
  Rule,
  RuleUpdate,
  SettingsScope,
  SmartContract,
  Webhook,
} from '../policy-store.ts';
import type { Access, Clashes, Transaction } from '../access.ts';
import type { StepRows, Steps } from '../rows.ts';
import { storedAs } from './stored-as.ts';

/** The key of a row, or a part of it. */
type Of = Readonly<{ paymasterId: string } & Record<string, string>>;

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

const contractRows = storedAs<SmartContract>({ json: ['methods', 'whitelistedMethods'], flags: ['active'] });
const ruleRows = storedAs<Rule & { binding: StoredBinding }>({ json: ['policyData', 'binding'], flags: ['active'] });
const webhookRows = storedAs<Webhook>({ flags: ['active'] });

const toRule = (row: object): Rule => {
  const { binding, ...rule } = ruleRows.read(row);
  return { ...rule, ...binding };
};

const insertContract = (tx: StepRows, contract: SmartContract): Steps<number> => {
  const row = { ...contractRows.write(contract), addressKey: addressKey(contract.address) };
  return tx.insert('smart_contract', `address_key, ${CONTRACT}`, row);
};

const insertRule = (tx: StepRows, rule: Rule): Steps<number> =>
  tx.insert('rule', RULE, ruleRows.write({ ...rule, binding: storedBinding(rule) }));

const insertWebhook = (tx: StepRows, webhook: Webhook): Steps<number> =>
  tx.insert('webhook', WEBHOOK, webhookRows.write(webhook));

/**
 * Policies and rules. Every change increments the rule revision of its DApp. A duplicate of a unique name or address
 * rejects with that constraint's EngineError.
 */
export const policyStore = ({ rows, write, cache }: Access) => {
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
  const update = (table: string, where: Of, to: object, clashes?: Clashes): Promise<boolean> =>
    write((tx) => change(tx, where.paymasterId, tx.update(table, where, to)), clashes);
  const remove = (table: string, where: Of): Promise<boolean> =>
    write((tx) => change(tx, where.paymasterId, tx.remove(table, where)));

  const findContract = async (paymasterId: string, address: Address): Promise<SmartContract | undefined> => {
    const find = `SELECT ${CONTRACT} FROM smart_contract WHERE paymaster_id = $1 AND address_key = $2`;
    const row = await rows.get<object>(find, [paymasterId, addressKey(address)]);
    return row && contractRows.read(row);
  };
  const inOrder = (columns: string, table: string, paymasterId: string): Promise<object[]> =>
    rows.all(`SELECT ${columns} FROM ${table} WHERE paymaster_id = $1 ORDER BY place`, [paymasterId]);
  const readPolicy = async (paymasterId: string): Promise<DappPolicy> => {
    for (;;) {
      const policy = policies.get(paymasterId);
      const { revision = 0, lowTankWei = null } = (await rows.get<DappRow>(DAPP, [paymasterId])) ?? {};
      // The rows were read before the revision. If the revision is still the current one, they all have the state of
      // one moment.
      if (policy?.revision === revision) return policy;
      const [contracts, rules, webhooks] = await Promise.all([
        inOrder(CONTRACT, 'smart_contract', paymasterId),
        inOrder(RULE, 'rule', paymasterId),
        inOrder(WEBHOOK, 'webhook', paymasterId),
      ]);
      policies.set(paymasterId, {
        revision,
        contracts: contracts.map(contractRows.read),
        rules: rules.map(toRule),
        webhooks: webhooks.map(webhookRows.read),
        ...(lowTankWei !== null && { lowBalanceThresholdWei: BigInt(lowTankWei) }),
      });
    }
  };

  return {
    async createContract(contract: SmartContract): Promise<void> {
      const added = ({ contracts, abiCharacters }: DappCounts) => ({ contracts, abiCharacters });
      await write((tx) => change(tx, contract.paymasterId, insertContract(tx, contract), added), CONTRACT_CLASHES);
    },
    /** Sets the whitelisted methods. Returns undefined if the address is not registered. */
    async updateContract(paymasterId: string, address: Address, whitelistedMethods: string[]) {
      const where = { paymasterId, addressKey: addressKey(address) };
      await update('smart_contract', where, contractRows.write({ whitelistedMethods }));
      return findContract(paymasterId, address);
    },
    findContract,
    deleteContract: (paymasterId: string, address: Address) =>
      remove('smart_contract', { paymasterId, addressKey: addressKey(address) }),
    async createRule(rule: Rule): Promise<void> {
      const added = (counts: DappCounts) => countedOf(counts, rule.policyType);
      await write((tx) => change(tx, rule.paymasterId, insertRule(tx, rule), added), RULE_CLASHES);
    },
    /** Replaces a rule's content and when it applies. False if no rule has this id; registered contracts do not count. */
    updateRule(paymasterId: string, ruleId: string, { name, policyData, restarts, ...binding }: RuleUpdate) {
      const to = ruleRows.write({ name, policyData, binding: storedBinding(binding) });
      const restart = 'UPDATE rule SET cycle = cycle + 1 WHERE paymaster_id = $1 AND rule_id = $2';
      return write(
        (tx) =>
          change(
            tx,
            paymasterId,
            (function* () {
              if (restarts) yield* tx.run(restart, [paymasterId, ruleId]);
              return yield* tx.update('rule', { paymasterId, ruleId }, to);
            })(),
          ),
        RULE_CLASHES,
      );
    },
    /** Deletes a rule. False if no rule has this id; registered contracts do not count. */
    deleteRule: (paymasterId: string, ruleId: string) => remove('rule', { paymasterId, ruleId }),
    /** Pauses or unpauses a rule or a registered contract. False if none has this id. */
    setRuleActive: async (paymasterId: string, ruleId: string, active: boolean) => {
      const [where, to] = [{ paymasterId, ruleId }, { active: Number(active) }];
      return (await update('rule', where, to)) || update('smart_contract', where, to);
    },
    async createWebhook(webhook: Webhook): Promise<void> {
      const added = ({ webhooks }: DappCounts) => ({ webhooks });
      await write((tx) => change(tx, webhook.paymasterId, insertWebhook(tx, webhook), added));
    },
    /** Whether a registered webhook, or a rule of type WEBHOOK, has this id. */
    async isWebhook(id: string): Promise<boolean> {
      const find = `SELECT 1 FROM webhook WHERE webhook_id = $1
        UNION ALL SELECT 1 FROM rule WHERE rule_id = $1 AND policy_type = 'WEBHOOK'`;
      return (await rows.get(find, [id])) !== undefined;
    },
    setWebhookActive: (paymasterId: string, webhookId: string, active: boolean) =>
      update('webhook', { paymasterId, webhookId }, { active: Number(active) }),
    setWebhookUrl: (paymasterId: string, webhookId: string, webhookUrl: string) =>
      update('webhook', { paymasterId, webhookId }, { webhookUrl }),
    deleteWebhook: (paymasterId: string, webhookId: string) => remove('webhook', { paymasterId, webhookId }),
    /** Sets the balance in wei below which the tank is low; null: the cost of a number of operations. */
    async setLowBalanceThreshold(paymasterId: string, lowBalanceThresholdWei: bigint | null): Promise<void> {
      const lowTankWei = lowBalanceThresholdWei === null ? null : String(lowBalanceThresholdWei);
      await update('paymaster', { paymasterId }, { lowTankWei });
    },
    /**
     * Replaces the complete policy. If the version of the settings has changed (`Store.settingsVersion`), changes
     * nothing and returns false.
     */
    replaceDappPolicy: (scope: SettingsScope, version: number, policy: OperatorPolicy): Promise<boolean> =>
      write(
        function* (tx) {
          if ((yield* tx.settingsVersion(scope)) !== version) return false;
          const { paymasterId } = scope;
          for (const table of ['smart_contract', 'rule', 'webhook']) yield* tx.remove(table, { paymasterId });
          // The order of the rows is the order of the rules.
          for (const contract of policy.contracts) yield* insertContract(tx, { ...contract, paymasterId });
          for (const rule of policy.rules) yield* insertRule(tx, { ...rule, paymasterId });
          for (const webhook of policy.webhooks) yield* insertWebhook(tx, { ...webhook, paymasterId });
          const { lowBalanceThresholdWei: lowTankWei, maxExpirySeconds } = policy;
          const [allowedOrigins, tokenMode] = [JSON.stringify(policy.allowedOrigins), Number(policy.tokenMode)];
          const to = { lowTankWei, allowedOrigins, maxExpirySeconds, tokenMode };
          return yield* change(tx, paymasterId, tx.update('paymaster', { paymasterId }, to));
        },
        { ...CONTRACT_CLASHES, ...RULE_CLASHES, smart_contract_name: 'RULE_NAME_EXISTS' },
      ),
    /** The policy, which must not be modified. A cache of derived data must compare the revision. */
    dappPolicy: cache.remembered(readPolicy),
  };
};
