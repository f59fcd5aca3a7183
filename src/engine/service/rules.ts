import type { ProcedureOutput } from '../../shared/contract/index.ts';
import { EngineError } from '../../shared/errors.ts';
import { type SpendingLimit, cycleMs, thresholdFault } from '../../shared/schema/rule.ts';
import type { Paymaster, Rule, RulePolicy, SmartContract } from '../store/store.ts';
import { keepWebhookUrl } from '../webhooks/url-in-vault.ts';
import { isLimit, usageOf } from './limit-usage.ts';
import { previewLimit } from '../ledger/preview-limit.ts';
import { requirePaymaster } from './paymasters.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

const PREVIEW_MS = 24 * 3_600_000;
/** To read so many takes the engine well under a second, in pieces. */
const PREVIEW_OPERATIONS = 20_000;

type RuleView = ProcedureOutput<'rules.create'>;
type NewRule = Parameters<Handlers<'rules.create'>['rules.create']>[0]['rule'];

const checkThreshold = ({ thresholdType, threshold }: Pick<SpendingLimit, 'thresholdType' | 'threshold'>): void => {
  const fault = thresholdFault(thresholdType, threshold);
  if (fault === undefined) return;
  const message = `threshold ${fault}`;
  throw new EngineError('VALIDATION', message, { errors: [message] });
};

/** What is kept of a rule: a limit's first window starts now, and the vault has what a URL may not show. */
const policyOf = (rule: NewRule, now: number, keepUrl: (url: string) => string): RulePolicy => {
  switch (rule.policyType) {
    case 'PAYMASTER_SA_LIMIT': {
      const times = { startTimeInEpoch: now, durationInMs: cycleMs(rule.policyData.cycleDuration) };
      return { policyType: rule.policyType, policyData: { ...rule.policyData, ...times } };
    }
    case 'WEBHOOK':
      return { policyType: rule.policyType, policyData: { ...rule.policyData, url: keepUrl(rule.policyData.url) } };
    case 'WALLET_DEPLOYMENT':
      return { policyType: rule.policyType, policyData: { operator: 'walletDeployment' } };
  }
};

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
      policyData,
    }),
    contract: ({ ruleId, name, address, whitelistedMethods, methods, active }: SmartContract): RuleView => ({
      _id: ruleId,
      name,
      policyType: 'WHITELISTED_CONTRACT',
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
    const rule = rules.find((candidate) => candidate.ruleId === ruleId);
    if (rule?.policyType === 'PAYMASTER_SA_LIMIT') return { name: rule.name, limit: rule.policyData };
    const exists = rule !== undefined || contracts.some((contract) => contract.ruleId === ruleId);
    throw new EngineError(exists ? 'NOT_A_LIMIT' : 'RULE_NOT_FOUND');
  };

  const setActive = async (paymasterId: string, ruleId: string, active: boolean): Promise<null> => {
    await requirePaymaster(context, paymasterId);
    if (!(await store.setRuleActive(paymasterId, ruleId, active))) throw new EngineError('RULE_NOT_FOUND');
    return null;
  };

  return {
    'rules.create': async ({ paymasterId, rule: definition }) => {
      const paymaster = await requirePaymaster(context, paymasterId);
      const ruleId = entropy.uuid();
      const rule: Rule = {
        ruleId,
        paymasterId,
        name: definition.name,
        active: true,
        cycle: 0,
        ...policyOf(definition, clock.now(), (url) => keepWebhookUrl(vault, ruleId, url)),
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
      return Promise.all(rules.filter(isLimit).map((rule) => usageOf(store, rule, clock.now())));
    },
    'rules.preview': async ({ paymasterId, limit }) => {
      await requirePaymaster(context, paymasterId);
      const from = clock.now() - PREVIEW_MS;
      const operations = await store.countedOperations({ paymasterId, from, most: PREVIEW_OPERATIONS + 1 });
      const read = operations.slice(0, PREVIEW_OPERATIONS).reverse();
      return { ...previewLimit(limit, from, read), complete: operations.length <= PREVIEW_OPERATIONS };
    },
    'rules.updateLimit': async ({ paymasterId, ruleId, update }) => {
      await requirePaymaster(context, paymasterId);
      const { name, limit } = await findLimit(paymasterId, ruleId);
      const cycleDuration = update.cycleDuration ?? limit.cycleDuration;
      const updated: SpendingLimit = {
        type: limit.type,
        cycleDuration,
        threshold: update.threshold ?? limit.threshold,
        thresholdType: update.thresholdType ?? limit.thresholdType,
        startTimeInEpoch: clock.now(),
        durationInMs: cycleMs(cycleDuration),
      };
      checkThreshold(updated);
      if (updated.thresholdType !== limit.thresholdType && update.threshold === undefined) {
        // Five operations would become five of the native coin.
        const message = 'threshold must be given with another thresholdType';
        throw new EngineError('VALIDATION', message, { errors: [message] });
      }
      if (!(await store.updateLimit(paymasterId, ruleId, update.name ?? name, updated))) {
        throw new EngineError('RULE_NOT_FOUND');
      }
      return null;
    },
    'rules.activate': ({ paymasterId, ruleId }) => setActive(paymasterId, ruleId, true),
    'rules.deactivate': ({ paymasterId, ruleId }) => setActive(paymasterId, ruleId, false),
  };
};
