import { z } from 'zod';
import { httpUrl } from '../../shared/schema/text.ts';
import type { Facts } from '../facts/facts.ts';
import type { Policy } from '../policy/policy.ts';
import { type WebhookDenialCode, webhookDenials } from '../webhooks/webhook-denials.ts';
import { responseVerdict } from '../webhooks/webhook-response.ts';
import { type RuleType, type Setup, rulesOf, saidBy } from './rule.ts';

/**
 * A webhook to call. A registered webhook uses its own method; the webhook of a rule always receives a POST request
 * that contains the operation (behaviour 5.10).
 */
export interface WebhookTarget {
  readonly webhookId: string;
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly active: boolean;
  readonly failOpen: boolean;
  readonly getsOperation: boolean;
  /** True if the webhook belongs to a shadow rule. Its answer then denies nothing. */
  readonly shadow: boolean;
}

interface WebhookRuleData {
  readonly url: string;
  readonly failOpen?: boolean | undefined;
}

/** Set-up of WEBHOOK rules, whose webhooks receive the operation. */
export const webhookSetup: Setup<WebhookRuleData, WebhookRuleData> = {
  policyType: 'WEBHOOK',
  place: 2,
  sent: z.strictObject({
    url: httpUrl,
    failOpen: z
      .boolean()
      .optional()
      .describe('True: operations pass while the server does not respond. An answer of false always denies'),
  }),
  stored: z.strictObject({ url: z.string(), failOpen: z.boolean().optional() }),
  keep: (sent, { keepUrl }) => ({ ...sent, url: keepUrl(sent.url) }),
  sentence: ({ url, failOpen }) =>
    `${url} must verify each operation; while it does not answer, an operation ${failOpen === true ? 'passes' : 'is denied'}.`,
  withoutRules: () => 'No webhooks yet.',
  form: 'webhook',
};

export const webhookTargets = ({ webhooks, rules }: Pick<Policy, 'webhooks' | 'rules'>): WebhookTarget[] => [
  ...webhooks.map(({ webhookId, webhookUrl: url, requestType: method, active }) => ({
    webhookId,
    url,
    method,
    active,
    failOpen: false,
    getsOperation: false,
    shadow: false,
  })),
  ...rulesOf(webhookSetup, rules).map(({ ruleId, active, enforcement, policyData: { url, failOpen = false } }) => ({
    webhookId: ruleId,
    url,
    method: 'POST' as const,
    active,
    failOpen,
    getsOperation: true,
    shadow: enforcement === 'shadow',
  })),
];

/** The webhooks that must still be called. */
export const uncalledWebhooks = (facts: Pick<Facts, 'webhooks'>, policy: Policy): readonly WebhookTarget[] =>
  webhookTargets(policy).filter(
    ({ webhookId, active }) => active && !facts.webhooks.some(({ call }) => call.webhookId === webhookId),
  );

/** The answers of webhooks. A recorded call counts even if the webhook has since been deleted. */
export const webhook: RuleType<keyof typeof webhookDenials> = {
  type: 'webhook',
  title: 'Webhook',
  denials: webhookDenials,
  setup: webhookSetup,
  bindsDrafts: false,
  check({ facts, policy }) {
    if (facts.webhooks.length === 0) return [];
    const targets = webhookTargets(policy);
    return facts.webhooks.map((response) => {
      const { webhookId: ruleId } = response.call;
      const { shadow = response.shadow } = targets.find(({ webhookId }) => webhookId === ruleId) ?? {};
      const verdict = responseVerdict(response);
      return {
        ...(shadow === true ? saidBy<WebhookDenialCode>({ ruleId, enforcement: 'shadow' }, verdict) : verdict),
        call: response.call,
        micros: response.micros,
      };
    });
  },
};
