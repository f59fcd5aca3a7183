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
  type PolicyRows,
  RULE,
  toContract,
  toPolicy,
  WEBHOOK,
} from '../policy-rows.ts';
import type { DappPolicy, DappPolicyStore, Rule, SmartContract, Webhook } from '../policy-store.ts';
import { orClash } from './errors.ts';
import type { Rows } from './rows.ts';
import type { Access, Transaction } from './writer.ts';

/** Adds a contract. @returns number of rows written, here and below */
export const insertContract = (tx: Rows, value: SmartContract): Promise<number> => {
  const row = ofContract(value);
  return tx.run(
    `INSERT INTO smart_contract (rule_id, paymaster_id, name, address, address_key, abi, methods, whitelisted_methods, active)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      row.ruleId,
      row.paymasterId,
      row.name,
      row.address,
      addressKey(row.address),
      row.abi,
      row.methods,
      row.whitelistedMethods,
      row.active,
    ],
  );
};

export const insertRule = (tx: Rows, value: Rule): Promise<number> => {
  const row = ofRule(value);
  return tx.run(
    `INSERT INTO rule (rule_id, paymaster_id, name, policy_type, policy_data, active, cycle, binding)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [row.ruleId, row.paymasterId, row.name, row.policyType, row.policyData, row.active, row.cycle, row.binding],
  );
};

export const insertWebhook = (tx: Rows, value: Webhook): Promise<number> => {
  const row = ofWebhook(value);
  return tx.run(
    'INSERT INTO webhook (webhook_id, paymaster_id, webhook_url, request_type, active) VALUES ($1, $2, $3, $4, $5)',
    [row.webhookId, row.paymasterId, row.webhookUrl, row.requestType, row.active],
  );
};

const inOrder = (select: string, name: string): string =>
  `(SELECT coalesce(json_agg(row), '[]') FROM (${select} WHERE paymaster_id = $1 ORDER BY place) AS row) AS ${name}`;
/** One statement, so that it reads everything at one moment. */
const POLICY = `SELECT dapp.*, ${inOrder(CONTRACT, 'contracts')}, ${inOrder(RULE, 'rules')},
  ${inOrder(WEBHOOK, 'webhooks')} FROM (${DAPP} WHERE paymaster_id = $1) AS dapp`;

/** Every change increments its DApp's rule revision. */
export const policyStore = ({ rows, writer, cache }: Access): Omit<DappPolicyStore, 'replaceDappPolicy'> => {
  /** Policies as last read, valid while their revision is current. */
  const policies = new Map<string, DappPolicy>();

  /**
   * Runs a change, and increments the revision if any row changed.
   *
   * @param added what it adds to, of the current policy
   */
  const change = (
    paymasterId: string,
    write: (tx: Transaction) => Promise<number>,
    added?: (counts: DappCounts) => Partial<DappCounts>,
  ): Promise<boolean> =>
    writer.run(async (tx) => {
      if ((await write(tx)) === 0) return false;
      const all = added === undefined ? undefined : await tx.get<DappCounts>(countsOf('$1'), [paymasterId]);
      if (all !== undefined) requireRoom(added?.(all) ?? {});
      await tx.run('UPDATE paymaster SET rule_revision = rule_revision + 1 WHERE paymaster_id = $1', [paymasterId]);
      tx.settingsChanged({ dapp: paymasterId });
      return true;
    });
  const findContract = async (paymasterId: string, address: Address): Promise<SmartContract | undefined> => {
    const key = [paymasterId, addressKey(address)];
    const row = await rows.get<ContractRow>(`${CONTRACT} WHERE paymaster_id = $1 AND address_key = $2`, key);
    return row && toContract(row);
  };
  const readPolicy = async (paymasterId: string): Promise<DappPolicy> => {
    const last = policies.get(paymasterId);
    if (last !== undefined) {
      const dapp = await rows.get<DappRow>(`${DAPP} WHERE paymaster_id = $1`, [paymasterId]);
      if (dapp?.revision === last.revision) return last;
    }
    const row = await rows.get<DappRow & PolicyRows>(POLICY, [paymasterId]);
    const policy = toPolicy(row, row ?? { contracts: [], rules: [], webhooks: [] });
    policies.set(paymasterId, policy);
    return policy;
  };

  return {
    async createContract(value) {
      await orClash({ contract_address: 'CONTRACT_ADDRESS_EXISTS', contract_name: 'CONTRACT_NAME_EXISTS' }, () =>
        change(
          value.paymasterId,
          (tx) => insertContract(tx, value),
          ({ contracts, abiCharacters }) => ({ contracts, abiCharacters }),
        ),
      );
    },
    async updateContract(paymasterId, address, methods) {
      await change(paymasterId, (tx) =>
        tx.run('UPDATE smart_contract SET whitelisted_methods = $1 WHERE paymaster_id = $2 AND address_key = $3', [
          JSON.stringify(methods),
          paymasterId,
          addressKey(address),
        ]),
      );
      return findContract(paymasterId, address);
    },
    findContract,
    deleteContract: (paymasterId, address) =>
      change(paymasterId, (tx) =>
        tx.run('DELETE FROM smart_contract WHERE paymaster_id = $1 AND address_key = $2', [
          paymasterId,
          addressKey(address),
        ]),
      ),
    async createRule(rule) {
      await orClash({ rule_name: 'RULE_NAME_EXISTS' }, () =>
        change(
          rule.paymasterId,
          (tx) => insertRule(tx, rule),
          (all) => countedOf(all, rule.policyType),
        ),
      );
    },
    updateRule(paymasterId, ruleId, update) {
      const { name, policyData, restarts } = update;
      const [data, binding] = [JSON.stringify(policyData), JSON.stringify(storedBinding(update))];
      return orClash({ rule_name: 'RULE_NAME_EXISTS' }, () =>
        change(paymasterId, (tx) =>
          tx.run(
            `UPDATE rule SET name = $1, policy_data = $2, binding = $3, cycle = cycle + $4
             WHERE paymaster_id = $5 AND rule_id = $6`,
            [name, data, binding, Number(restarts), paymasterId, ruleId],
          ),
        ),
      );
    },
    deleteRule: (paymasterId, ruleId) =>
      change(paymasterId, (tx) =>
        tx.run('DELETE FROM rule WHERE paymaster_id = $1 AND rule_id = $2', [paymasterId, ruleId]),
      ),
    setRuleActive: (paymasterId, ruleId, active) =>
      change(paymasterId, async (tx) => {
        const values = [Number(active), paymasterId, ruleId];
        const rules = await tx.run('UPDATE rule SET active = $1 WHERE paymaster_id = $2 AND rule_id = $3', values);
        const ofContracts = 'UPDATE smart_contract SET active = $1 WHERE paymaster_id = $2 AND rule_id = $3';
        return rules + (await tx.run(ofContracts, values));
      }),
    async createWebhook(value) {
      await change(
        value.paymasterId,
        (tx) => insertWebhook(tx, value),
        (all) => ({ webhooks: all.webhooks }),
      );
    },
    async isWebhook(id) {
      const found = await rows.get(
        `SELECT 1 FROM webhook WHERE webhook_id = $1
         UNION ALL SELECT 1 FROM rule WHERE rule_id = $1 AND policy_type = 'WEBHOOK'`,
        [id],
      );
      return found !== undefined;
    },
    setWebhookActive: (paymasterId, webhookId, active) =>
      change(paymasterId, (tx) =>
        tx.run('UPDATE webhook SET active = $1 WHERE paymaster_id = $2 AND webhook_id = $3', [
          Number(active),
          paymasterId,
          webhookId,
        ]),
      ),
    setWebhookUrl: (paymasterId, webhookId, webhookUrl) =>
      change(paymasterId, (tx) =>
        tx.run('UPDATE webhook SET webhook_url = $1 WHERE paymaster_id = $2 AND webhook_id = $3', [
          webhookUrl,
          paymasterId,
          webhookId,
        ]),
      ),
    deleteWebhook: (paymasterId, webhookId) =>
      change(paymasterId, (tx) =>
        tx.run('DELETE FROM webhook WHERE paymaster_id = $1 AND webhook_id = $2', [paymasterId, webhookId]),
      ),
    async setLowBalanceThreshold(paymasterId, lowBalanceThresholdWei) {
      const low = lowBalanceThresholdWei === null ? null : String(lowBalanceThresholdWei);
      await change(paymasterId, (tx) =>
        tx.run('UPDATE paymaster SET low_tank_wei = $1 WHERE paymaster_id = $2', [low, paymasterId]),
      );
    },
    dappPolicy: (paymasterId) => cache.get(`policy ${paymasterId}`, () => readPolicy(paymasterId)),
  };
};
