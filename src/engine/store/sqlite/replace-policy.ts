import type Database from 'better-sqlite3';
import type { DappPolicyStore, OperatorPolicy, SettingsScope } from '../policy-store.ts';
import { policyRows } from './policy.ts';
import { orClash } from './unique.ts';

interface PolicyReplacement {
  /** True while the settings are those that the policy was based on. */
  readonly isOfVersion: (scope: SettingsScope, version: number) => boolean;
  readonly changed: (paymasterId: string) => void;
}

export const policyReplacement = (
  database: Database.Database,
  { isOfVersion, changed }: PolicyReplacement,
): Pick<DappPolicyStore, 'replaceDappPolicy'> => {
  const rows = policyRows(database);
  const removals = ['smart_contract', 'rule', 'webhook'].map((table) =>
    database.prepare<[string]>(`DELETE FROM ${table} WHERE paymaster_id = ?`),
  );
  const setDapp = database.prepare<[string | null, string, number, number, string]>(
    `UPDATE paymaster SET low_tank_wei = ?, allowed_origins = ?, max_expiry_s = ?, token_mode = ?,
       rule_revision = rule_revision + 1 WHERE paymaster_id = ?`,
  );
  const replace = database.transaction((paymasterId: string, policy: OperatorPolicy): void => {
    for (const removal of removals) removal.run(paymasterId);
    // The order of the rows is the order of the rules.
    for (const contract of policy.contracts) rows.insertContract({ ...contract, paymasterId });
    for (const rule of policy.rules) rows.insertRule({ ...rule, paymasterId });
    for (const webhook of policy.webhooks) rows.insertWebhook({ ...webhook, paymasterId });
    const { lowBalanceThresholdWei, maxExpirySeconds } = policy;
    const [origins, tokenMode] = [JSON.stringify(policy.allowedOrigins), Number(policy.tokenMode)];
    setDapp.run(lowBalanceThresholdWei, origins, maxExpirySeconds, tokenMode, paymasterId);
  });
  return {
    async replaceDappPolicy(scope, version, policy) {
      if (!isOfVersion(scope, version)) return false;
      orClash({ address_key: 'CONTRACT_ADDRESS_EXISTS', name: 'RULE_NAME_EXISTS' }, () =>
        replace(scope.paymasterId, policy),
      );
      changed(scope.paymasterId);
      return true;
    },
  };
};
