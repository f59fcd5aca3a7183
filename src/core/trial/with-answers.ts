import type { Facts } from '../facts/facts.ts';
import type { Policy } from '../policy/policy.ts';
import { type WebhookTarget, webhookTargets } from '../rules/webhook.ts';
import { withoutUserInfo } from '../webhooks/hidden-credentials.ts';

/** Whether two webhooks receive the same calls. */
const isSameWebhook = (one: WebhookTarget, other: WebhookTarget): boolean =>
  withoutUserInfo(one.url) === withoutUserInfo(other.url) &&
  one.method === other.method &&
  one.getsOperation === other.getsOperation;

/** The facts, with only the answers of those webhooks that the draft calls too. */
export const withAnswers = (facts: Facts, recorded: Policy, draft: Policy): Facts => {
  if (facts.webhooks.length === 0) return facts;
  const [reads, wanted] = [webhookTargets(recorded), webhookTargets(draft).filter(({ active }) => active)];
  const webhooks = facts.webhooks.flatMap((response) => {
    const target = reads.find(({ webhookId }) => webhookId === response.call.webhookId);
    if (target === undefined) return [response];
    const again = wanted.find((one) => isSameWebhook(one, target));
    if (again === undefined) return [];
    const { webhookId, failOpen } = again;
    return [{ ...response, failOpen, call: { ...response.call, webhookId } }];
  });
  return { ...facts, webhooks };
};
