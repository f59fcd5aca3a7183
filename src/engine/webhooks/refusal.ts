import { explainDenial } from '../../core/decision/rule-words.ts';
import type { WebhookResponse } from '../../core/webhooks/webhook-response.ts';

/** Why a receiver did not accept a call that asks for no verdict; undefined if it did. Only the HTTP status matters. */
export const refusalOf = ({ call: { status }, host, error }: WebhookResponse): string | undefined => {
  if (status !== undefined && status >= 200 && status < 300) return undefined;
  if (status !== undefined) {
    const isRedirect = status >= 300 && status < 400;
    return explainDenial(isRedirect ? 'WEBHOOK_REDIRECT' : 'WEBHOOK_STATUS', { host, status }).message;
  }
  return explainDenial(error?.code ?? 'WEBHOOK_NOT_HTTP', { host, ...error?.evidence }).message;
};
