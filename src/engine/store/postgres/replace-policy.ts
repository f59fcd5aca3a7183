import type { DappPolicyStore } from '../policy-store.ts';
import { orClash } from './errors.ts';
import { insertContract, insertRule, insertWebhook } from './policy.ts';
import { readVersions, versionOf } from './settings-cache.ts';
import type { Writer } from './writer.ts';

export const policyReplacement = ({
  writer,
}: {
  readonly writer: Writer;
}): Pick<DappPolicyStore, 'replaceDappPolicy'> => ({
  replaceDappPolicy: (scope, version, policy) =>
    orClash(
      { contract_address: 'CONTRACT_ADDRESS_EXISTS', contract_name: 'RULE_NAME_EXISTS', rule_name: 'RULE_NAME_EXISTS' },
      () =>
        writer.run(async (tx) => {
          if (versionOf(await readVersions(tx), scope) !== version) return false;
          const { paymasterId } = scope;
          for (const table of ['smart_contract', 'rule', 'webhook']) {
            await tx.run(`DELETE FROM ${table} WHERE paymaster_id = $1`, [paymasterId]);
          }
          // The order of the rows is the order of the rules.
          for (const contract of policy.contracts) await insertContract(tx, { ...contract, paymasterId });
          for (const rule of policy.rules) await insertRule(tx, { ...rule, paymasterId });
          for (const webhook of policy.webhooks) await insertWebhook(tx, { ...webhook, paymasterId });
          const { lowBalanceThresholdWei, allowedOrigins, maxExpirySeconds, tokenMode } = policy;
          await tx.run(
            `UPDATE paymaster SET low_tank_wei = $1, allowed_origins = $2, max_expiry_s = $3, token_mode = $4,
               rule_revision = rule_revision + 1 WHERE paymaster_id = $5`,
            [lowBalanceThresholdWei, JSON.stringify(allowedOrigins), maxExpirySeconds, Number(tokenMode), paymasterId],
          );
          tx.settingsChanged({ dapp: paymasterId });
          return true;
        }),
    ),
});
