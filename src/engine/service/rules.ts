import { z } from 'zod';
import type { ProcedureOutput } from '../../api/index.ts';
import { CONTRACT_TYPE } from '../../api/rules.ts';
import { EngineError } from '../../shared/errors.ts';
import type { DecisionRecord } from '../../shared/schema/decision.ts';
import { isRuleType, ruleTypeOf } from '../../core/decision/rule-words.ts';
import { type Binding, bindingError, storedBinding, updatedBinding } from '../../core/rules/binding.ts';
import { RuleUse } from '../../core/narrow/rule-use.ts';
import { evaluateRecorded } from '../../core/replay/evaluate-recorded.ts';
import type { Policy } from '../../core/policy/policy.ts';
import { restarts, rulesOf } from '../../core/rules/rule.ts';
import { hasCredentials, isHidden } from '../../core/webhooks/hidden-credentials.ts';
import { parse } from '../../shared/schema/parse.ts';
import { type SpendingLimit, addsUp, limitSetup, updatedLimit } from '../../core/rules/spending-limit/index.ts';
import type { Rule, SmartContract } from '../store/policy-store.ts';
import { webhookSetup } from '../../core/rules/webhook.ts';
import type { Vault } from '../signer/vault.ts';
import type { Dapp } from '../store/registry-store.ts';
import { forgetWebhookUrl, keepWebhookUrl, ownersWebhookUrl, shownWebhookUrl } from '../webhooks/url-in-vault.ts';
import { usageOf } from './limit-usage.ts';
import { decideAgain } from '../../core/decision/decide-again.ts';
import { currentPolicy } from '../sponsorship/current-policy.ts';
import { requireDapp } from './dapps.ts';
import { eachPastDecision } from './each-past-decision.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

const requireBinding = (binding: Binding): void => {
  const error = bindingError(binding);
  if (error !== undefined) throw new EngineError('VALIDATION', error, { errors: [error] });
};

type RuleView = ProcedureOutput<'rules.create'>;

const withOwnersUrl = (
  { ruleId, policyType }: Pick<Rule, 'ruleId' | 'policyType'>,
  data: RuleView['policyData'],
  vault: Vault | undefined,
): RuleView['policyData'] =>
  vault === undefined || policyType !== webhookSetup.policyType
    ? data
    : { ...data, url: ownersWebhookUrl(vault, ruleId, String(data['url'])) };

/**
 * A DApp's rules as they are displayed. @param whole the vault, to show webhook URLs in full; undefined: credentials
 * are hidden
 */
const viewOf = (dapp: Dapp, whole?: Vault) => {
  const owner = {
    organisationId: dapp.accountId,
    paymasterId: dapp.paymasterId,
    createdBy: dapp.accountId,
    chainId: dapp.chainId,
  };
  return {
    rule: ({ ruleId, name, policyType, policyData, active, ...rule }: Rule): RuleView => ({
      _id: ruleId,
      name,
      policyType,
      ...owner,
      active,
      // Rules of unknown types are listed too, so that the operator can pause them.
      policyData: withOwnersUrl(
        { ruleId, policyType },
        (isRuleType(policyType)
          ? ruleTypeOf(policyType).setup.stored.parse(policyData)
          : policyData) as RuleView['policyData'],
        whole,
      ),
      ...storedBinding(rule),
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

/** Procedures for a DApp's rules. Its registered contracts are listed, paused and unpaused as if they were rules. */
export const ruleHandlers = (context: ServiceContext): Handlers<NamesOf<'rules'>> => {
  const { store, clock, entropy, vault, trials } = context;

  const findLimit = async (paymasterId: string, ruleId: string): Promise<{ rule: Rule; limit: SpendingLimit }> => {
    const { rules, contracts } = await store.dappPolicy(paymasterId);
    const rule = rulesOf(limitSetup, rules).find((candidate) => candidate.ruleId === ruleId);
    if (rule !== undefined) return { rule, limit: rule.policyData };
    const exists = [...rules, ...contracts].some((one) => one.ruleId === ruleId);
    throw new EngineError(exists ? 'NOT_A_LIMIT' : 'RULE_NOT_FOUND');
  };

  const requireRule = async (paymasterId: string, ruleId: string): Promise<Rule> => {
    const { rules } = await store.dappPolicy(paymasterId);
    const rule = rules.find((one) => one.ruleId === ruleId && isRuleType(one.policyType));
    if (rule === undefined) throw new EngineError('RULE_NOT_FOUND');
    return rule;
  };

  const decidedBefore = async (decisionId: string): Promise<{ record: DecisionRecord; policy: Policy }> => {
    const record = await store.findDecision(decisionId);
    if (record === undefined) throw new EngineError('DECISION_NOT_FOUND');
    const dapp = await requireDapp(context, record.paymasterId);
    const { policy } = await currentPolicy(context, dapp);
    return { record, policy };
  };

  /** The rule data to store. A URL that is sent in its shown form keeps its credentials. */
  const dataOf = (
    { ruleId, policyType, policyData }: Rule,
    sent: object,
  ): { data: object; urls: readonly string[] } => {
    const { setup } = ruleTypeOf(policyType);
    const read = parse(z.strictObject({ policyData: setup.sent }), { policyData: sent });
    const shown = JSON.stringify(policyData);
    const urls: string[] = [];
    const keepUrl = (url: string): string => {
      if (!hasCredentials(url) || shown.includes(JSON.stringify(url))) return url;
      if (vault.state !== 'unlocked') throw new EngineError('VAULT_LOCKED');
      urls.push(url);
      return shownWebhookUrl(vault, ruleId, url);
    };
    return { data: setup.keep(read.policyData, { now: clock.now(), keepUrl }), urls };
  };

  const setActive = async (paymasterId: string, ruleId: string, active: boolean): Promise<null> => {
    await requireDapp(context, paymasterId);
    if (!(await store.setRuleActive(paymasterId, ruleId, active))) throw new EngineError('RULE_NOT_FOUND');
    return null;
  };

  return {
    'rules.create': async ({ paymasterId, whole, rule: { name, policyType, policyData, ...binding } }) => {
      requireBinding(binding);
      const dapp = await requireDapp(context, paymasterId);
      const ruleId = entropy.uuid();
      const urls: string[] = [];
      const keepUrl = (url: string): string => {
        urls.push(url);
        return shownWebhookUrl(vault, ruleId, url);
      };
      const rule: Rule = {
        ruleId,
        paymasterId,
        name,
        active: true,
        cycle: 0,
        policyType,
        policyData: ruleTypeOf(policyType).setup.keep(policyData, { now: clock.now(), keepUrl }),
        ...storedBinding(binding),
      };
      for (const url of urls) await keepWebhookUrl(vault, ruleId, url);
      try {
        await store.createRule(rule);
      } catch (error) {
        // URLs of refused rules must not remain in the vault.
        if (urls.length > 0) await forgetWebhookUrl(vault, ruleId);
        throw error;
      }
      return viewOf(dapp, whole ? vault : undefined).rule(rule);
    },
    'rules.list': async ({ paymasterId, whole }) => {
      const view = viewOf(await requireDapp(context, paymasterId), whole ? vault : undefined);
      const { rules, contracts } = await store.dappPolicy(paymasterId);
      return [...rules.map(view.rule), ...contracts.map(view.contract)];
    },
    'rules.usage': async ({ paymasterId }) => {
      await requireDapp(context, paymasterId);
      const { rules } = await store.dappPolicy(paymasterId);
      const adding = rulesOf(limitSetup, rules).filter(addsUp);
      return usageOf(store, adding, clock.now());
    },
    'rules.lastUses': async (query) => {
      const { rules, contracts } = await store.dappPolicy((await requireDapp(context, query.paymasterId)).paymasterId);
      const use = new RuleUse();
      await eachPastDecision(trials, query, (decision) => use.add(decision));
      const existing = new Set([...rules, ...contracts].map(({ ruleId }) => ruleId));
      return use.lastUses().filter(({ ruleId }) => existing.has(ruleId));
    },
    'rules.evaluate': async ({ decisionId, expression }) => {
      const { record, policy } = await decidedBefore(decisionId);
      return evaluateRecorded(expression, record, policy);
    },
    'rules.decideAgain': async ({ decisionId }) => {
      const { record, policy } = await decidedBefore(decisionId);
      const { verdict, reason = null, steps } = decideAgain(record, policy);
      return { verdict, reason, steps };
    },
    'rules.updateLimit': async ({ paymasterId, ruleId, update }) => {
      await requireDapp(context, paymasterId);
      const { rule, limit } = await findLimit(paymasterId, ruleId);
      const updated = updatedLimit(limit, update, clock.now());
      const changed = {
        name: update.name ?? rule.name,
        policyData: updated,
        restarts: restarts(limitSetup, limit, updated),
      };
      if (!(await store.updateRule(paymasterId, ruleId, { ...storedBinding(rule), ...changed }))) {
        throw new EngineError('RULE_NOT_FOUND');
      }
      return null;
    },
    'rules.update': async ({ paymasterId, ruleId, update, whole }) => {
      const dapp = await requireDapp(context, paymasterId);
      const rule = await requireRule(paymasterId, ruleId);
      const binding = updatedBinding(rule, update);
      requireBinding(binding);
      const stored = update.policyData === undefined ? undefined : dataOf(rule, update.policyData);
      const { data: policyData = rule.policyData, urls = [] } = stored ?? {};
      const { name = rule.name } = update;
      const updated = { ...binding, name, policyData };
      const isAnew = stored !== undefined && restarts(ruleTypeOf(rule.policyType).setup, rule.policyData, stored.data);
      if (!(await store.updateRule(paymasterId, ruleId, { ...updated, restarts: isAnew }))) {
        throw new EngineError('RULE_NOT_FOUND');
      }
      // The URLs are stored only now, so that the URLs of refused updates are never stored or called.
      for (const url of urls) await keepWebhookUrl(vault, ruleId, url);
      if (!isHidden(JSON.stringify(policyData))) await forgetWebhookUrl(vault, ruleId);
      const { paymasterId: owner, policyType, active, cycle } = rule;
      const view = viewOf(dapp, whole ? vault : undefined);
      return view.rule({ ...updated, paymasterId: owner, ruleId, policyType, active, cycle });
    },
    'rules.shadowResults': async ({ paymasterId }) => {
      await requireDapp(context, paymasterId);
      const { rules } = await store.dappPolicy(paymasterId);
      return Promise.all(
        rules
          .filter(({ enforcement }) => enforcement === 'shadow')
          .map(async (rule) => ({ ruleId: rule.ruleId, ...(await store.shadowResult(rule)) })),
      );
    },
    'rules.delete': async ({ paymasterId, ruleId }) => {
      await requireDapp(context, paymasterId);
      if (!(await store.deleteRule(paymasterId, ruleId))) throw new EngineError('RULE_NOT_FOUND');
      await forgetWebhookUrl(vault, ruleId);
      return null;
    },
    'rules.activate': ({ paymasterId, ruleId }) => setActive(paymasterId, ruleId, true),
    'rules.deactivate': ({ paymasterId, ruleId }) => setActive(paymasterId, ruleId, false),
  };
};
