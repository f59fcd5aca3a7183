import type { ProcedureOutput } from '../../api/index.ts';
import { CONTRACT_TYPE } from '../../api/rules.ts';
import { EngineError } from '../../shared/errors.ts';
import { isRuleType, ruleTypeOf } from '../../core/rule-words.ts';
import { rulesOf } from '../../core/rules/rule.ts';
import { type SpendingLimit, limitSetup, updatedLimit } from '../../core/rules/spending-limit.ts';
import type { Rule, SmartContract } from '../store/policy-store.ts';
import type { Paymaster } from '../store/registry-store.ts';
import { forgetWebhookUrl, keepWebhookUrl } from '../webhooks/url-in-vault.ts';
import { usageOf } from './limit-usage.ts';
import { decideAgain } from '../../core/decide-again.ts';
import { currentPolicy } from '../sponsorship/current-policy.ts';
import { requirePaymaster } from './paymasters.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

type RuleView = ProcedureOutput<'rules.create'>;

const viewOf = (paymaster: Paymaster) => {
  const owner = {
    organisationId: paymaster.accountId,
    paymasterId: paymaster.paymasterId,
    createdBy: paymaster.accountId,
    chainId: paymaster.chainId,
  };
  return {
    rule: ({ ruleId, name, policyType, policyData, active }: Rule): RuleView => ({
      _id: ruleId,
      name,
      policyType,
      ...owner,
      active,
      // Also of a type that only a newer Gasdesk knows: who sees the rule can pause it.
      policyData: (isRuleType(policyType)
        ? ruleTypeOf(policyType).setup.kept.parse(policyData)
        : policyData) as RuleView['policyData'],
    }),
    contract: ({ ruleId, name, address, whitelistedMethods, methods, active }: SmartContract): RuleView => ({
      _id: ruleId,
      name,
      policyType: CONTRACT_TYPE,
      ...owner,
      active,
      policyData: { address, whitelistedMethods, methods },
    }),
  };
};

/** Rules of a DApp; its registered contracts are listed, paused and unpaused among them. */
export const ruleHandlers = (context: ServiceContext): Handlers<NamesOf<'rules'>> => {
  const { store, clock, entropy, vault } = context;

  const findLimit = async (paymasterId: string, ruleId: string): Promise<{ name: string; limit: SpendingLimit }> => {
    const { rules, contracts } = await store.dappPolicy(paymasterId);
    const limit = rulesOf(limitSetup, rules).find((candidate) => candidate.ruleId === ruleId);
    if (limit !== undefined) return { name: limit.name, limit: limit.policyData };
    const exists = [...rules, ...contracts].some((one) => one.ruleId === ruleId);
    throw new EngineError(exists ? 'NOT_A_LIMIT' : 'RULE_NOT_FOUND');
  };

  const setActive = async (paymasterId: string, ruleId: string, active: boolean): Promise<null> => {
    await requirePaymaster(context, paymasterId);
    if (!(await store.setRuleActive(paymasterId, ruleId, active))) throw new EngineError('RULE_NOT_FOUND');
    return null;
  };

  return {
    'rules.create': async ({ paymasterId, rule: { name, policyType, policyData } }) => {
      const paymaster = await requirePaymaster(context, paymasterId);
      const ruleId = entropy.uuid();
      const keepUrl = (url: string): string => keepWebhookUrl(vault, ruleId, url);
      const rule: Rule = {
        ruleId,
        paymasterId,
        name,
        active: true,
        cycle: 0,
        policyType,
        policyData: ruleTypeOf(policyType).setup.keep(policyData, { now: clock.now(), keepUrl }),
      };
      await store.createRule(rule);
      return viewOf(paymaster).rule(rule);
    },
    'rules.list': async ({ paymasterId }) => {
      const view = viewOf(await requirePaymaster(context, paymasterId));
      const { rules, contracts } = await store.dappPolicy(paymasterId);
      return [...rules.map(view.rule), ...contracts.map(view.contract)];
    },
    'rules.usage': async ({ paymasterId }) => {
      await requirePaymaster(context, paymasterId);
      const { rules } = await store.dappPolicy(paymasterId);
      return Promise.all(rulesOf(limitSetup, rules).map((rule) => usageOf(store, rule, clock.now())));
    },
    'rules.decideAgain': async ({ decisionId }) => {
      const record = await store.findDecision(decisionId);
      if (record === undefined) throw new EngineError('DECISION_NOT_FOUND');
      const paymaster = await requirePaymaster(context, record.paymasterId);
      const { policy } = await currentPolicy(context, paymaster);
      const { verdict, reason = null } = decideAgain(record, policy);
      return { verdict, reason };
    },
    'rules.updateLimit': async ({ paymasterId, ruleId, update }) => {
      await requirePaymaster(context, paymasterId);
      const { name, limit } = await findLimit(paymasterId, ruleId);
      const updated = updatedLimit(limit, update, clock.now());
      if (!(await store.updateLimit(paymasterId, ruleId, update.name ?? name, updated))) {
        throw new EngineError('RULE_NOT_FOUND');
      }
      return null;
    },
    'rules.delete': async ({ paymasterId, ruleId }) => {
      await requirePaymaster(context, paymasterId);
      if (!(await store.deleteRule(paymasterId, ruleId))) throw new EngineError('RULE_NOT_FOUND');
      forgetWebhookUrl(vault, ruleId);
      return null;
    },
    'rules.activate': ({ paymasterId, ruleId }) => setActive(paymasterId, ruleId, true),
    'rules.deactivate': ({ paymasterId, ruleId }) => setActive(paymasterId, ruleId, false),
  };
};
