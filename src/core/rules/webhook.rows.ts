import { type Advice, withFacts } from '../../../test/support/advice.ts';
import { row, ruleTable } from '../../../test/support/rule-table.ts';
import type { Situation } from '../../../test/support/situation.ts';
import { responseWith, withResponse } from '../../../test/support/situations.ts';
import type { Evidence } from '../../shared/denials.ts';
import type { WebhookDenialCode } from '../webhooks/webhook-denials.ts';
import type { WebhookResponse } from '../webhooks/webhook-response.ts';
import { webhook } from './webhook.ts';

const host = 'hooks.example:8443';
const unfinished = (code: WebhookDenialCode, evidence: Evidence): WebhookResponse => {
  const { status: _none, ...exchange } = responseWith({}, { response: '' }).call;
  return responseWith({ call: exchange, error: { code, evidence } });
};

const answered = (denied: WebhookResponse) => row(withResponse, denied, responseWith());
/** The webhook answers as the hint recommends. */
const answering = (denied: Situation, status = 200): Advice => ({
  denied,
  says: /Make the webhook answer .*?(?<response>\{.*\})/,
  change: ({ response = '' }, world) => withFacts(world, { webhooks: [responseWith({}, { response, status })] }),
});
/** The situation after the webhook's server or a setting was changed so that the webhook allows the operation. */
const verifying = (denied: Situation, says: RegExp): Advice => ({
  denied,
  says,
  change: (_, world) => withFacts(world, { webhooks: [responseWith()] }),
});

export default ruleTable(webhook, {
  WEBHOOK_DENIED: {
    sparesDrafts: true,
    rows: [answered(responseWith({}, { response: '{"arePoliciesVerified": false}' }))],
    advices: [
      verifying(
        withResponse(responseWith({}, { response: '{"arePoliciesVerified": false}' })),
        /Meet the conditions that this webhook checks/,
      ),
    ],
    words: { evidence: { host, status: 200 }, names: [host, 'arePoliciesVerified: false'] },
  },
  WEBHOOK_TIMEOUT: {
    sparesDrafts: true,
    rows: [
      answered(unfinished('WEBHOOK_TIMEOUT', { timeoutMs: 3000 })),
      row(
        (failOpen: boolean) => withResponse({ ...unfinished('WEBHOOK_TIMEOUT', { timeoutMs: 3000 }), failOpen }),
        false,
        true,
      ),
    ],
    advices: [
      verifying(
        withResponse(unfinished('WEBHOOK_TIMEOUT', { timeoutMs: 3000 })),
        /answer within 3000 ms, or raise .* webhookTimeoutMs/,
      ),
    ],
    words: { evidence: { host, timeoutMs: 3000 }, names: [host, '3000 ms'] },
  },
  WEBHOOK_NOT_REACHED: {
    sparesDrafts: true,
    rows: [answered({ ...unfinished('WEBHOOK_NOT_REACHED', { timeoutMs: 3000 }), failOpen: true })],
    advices: [
      verifying(
        withResponse(unfinished('WEBHOOK_NOT_REACHED', { timeoutMs: 3000 })),
        /^Check that DNS and the network of this machine/,
      ),
    ],
    words: { evidence: { host, timeoutMs: 3000 }, names: [host, '3000'] },
  },
  WEBHOOK_STATUS: {
    sparesDrafts: true,
    rows: [answered(responseWith({}, { status: 500 }))],
    advices: [
      {
        denied: withResponse(responseWith({}, { status: 500 })),
        says: /answer with status (?<status>\d+) and (?<response>\{.*\})/,
        change: ({ status, response = '' }, world) =>
          withFacts(world, { webhooks: [responseWith({}, { response, status: Number(status) })] }),
      },
    ],
    words: { evidence: { host, status: 500 }, names: [host, '500'] },
  },
  WEBHOOK_REDIRECT: {
    sparesDrafts: true,
    rows: [answered(responseWith({ headers: { location: '/there' } }, { status: 302 }))],
    advices: [
      verifying(
        withResponse(responseWith({ headers: { location: '/there' } }, { status: 302 })),
        /Register the URL that it redirects to/,
      ),
    ],
    words: { evidence: { host, status: 302, location: '/there' }, names: [host, '302'] },
  },
  WEBHOOK_NOT_JSON: {
    sparesDrafts: true,
    rows: [answered(responseWith({}, { response: 'true enough' }))],
    advices: [answering(withResponse(responseWith({}, { response: 'true enough' })))],
    words: { evidence: { host, status: 200 }, names: [host, 'JSON'] },
  },
  WEBHOOK_NO_VERDICT: {
    sparesDrafts: true,
    rows: [answered(responseWith({}, { response: '{"arePoliciesVerified": "true"}' }))],
    advices: [answering(withResponse(responseWith({}, { response: '{"arePoliciesVerified": "true"}' })))],
    words: { evidence: { host, detail: 'it is an array' }, names: [host, 'it is an array'] },
  },
  WEBHOOK_DUPLICATE_KEYS: {
    sparesDrafts: true,
    rows: [answered(responseWith({}, { response: '{"arePoliciesVerified": true, "arePoliciesVerified": true}' }))],
    advices: [
      answering(
        withResponse(responseWith({}, { response: '{"arePoliciesVerified": true, "arePoliciesVerified": true}' })),
      ),
    ],
    words: { evidence: { host, key: 'arePoliciesVerified' }, names: [host, '"arePoliciesVerified"'] },
  },
  WEBHOOK_TOO_LARGE: {
    sparesDrafts: true,
    rows: [answered(responseWith({ error: { code: 'WEBHOOK_TOO_LARGE', evidence: { limitBytes: 65_536 } } }))],
    advices: [
      answering(withResponse(responseWith({ error: { code: 'WEBHOOK_TOO_LARGE', evidence: { limitBytes: 65_536 } } }))),
    ],
    words: { evidence: { host, limitBytes: 65_536 }, names: [host, '65536'] },
  },
  WEBHOOK_NOT_HTTP: {
    sparesDrafts: true,
    rows: [answered(unfinished('WEBHOOK_NOT_HTTP', { detail: 'Parse Error' }))],
    advices: [
      verifying(
        withResponse(unfinished('WEBHOOK_NOT_HTTP', { detail: 'Parse Error' })),
        /Register the URL of an HTTP server/,
      ),
    ],
    words: { evidence: { host, detail: 'Parse Error' }, names: [host, 'Parse Error'] },
  },
  WEBHOOK_UNREACHABLE: {
    sparesDrafts: true,
    rows: [answered(unfinished('WEBHOOK_UNREACHABLE', { detail: 'the connection was refused' }))],
    advices: [
      verifying(
        withResponse(unfinished('WEBHOOK_UNREACHABLE', { detail: 'refused' })),
        /Start the server .*, or correct the URL/,
      ),
    ],
    words: { evidence: { host, detail: 'the connection was refused' }, names: [host, 'refused'] },
  },
  WEBHOOK_ADDRESS_REFUSED: {
    sparesDrafts: true,
    rows: [
      answered(
        unfinished('WEBHOOK_ADDRESS_REFUSED', { address: '169.254.169.254', range: 'linkLocal', private: false }),
      ),
    ],
    advices: [
      verifying(
        withResponse(
          unfinished('WEBHOOK_ADDRESS_REFUSED', { address: '169.254.169.254', range: 'linkLocal', private: false }),
        ),
        /Serve the webhook at another address/,
      ),
      verifying(
        withResponse(unfinished('WEBHOOK_ADDRESS_REFUSED', { address: '10.0.0.1', range: 'private', private: true })),
        /turn on the setting webhookAllowPrivate/,
      ),
    ],
    words: {
      evidence: { host, address: '169.254.169.254', range: 'link-local', private: false },
      names: [host, '169.254.169.254', 'link-local'],
    },
  },
  WEBHOOK_BUSY: {
    sparesDrafts: true,
    rows: [answered(unfinished('WEBHOOK_BUSY', { atOnce: 8 }))],
    advices: [
      verifying(
        withResponse(unfinished('WEBHOOK_BUSY', { atOnce: 8 })),
        /raise the setting webhookMaxConcurrent above (?<most>8)/,
      ),
    ],
    words: { evidence: { host, atOnce: 32 }, names: [host, '32', 'webhookMaxConcurrent'] },
  },
});
