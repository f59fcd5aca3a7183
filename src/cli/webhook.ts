import { InvalidArgumentError } from 'commander';
import { rulesOf } from '../core/rules/rule.ts';
import { webhookSetup } from '../core/rules/webhook.ts';
import { command, group, printFromDesk } from './command.ts';
import type { DeskOptions } from './desk.ts';
import { calling } from './fields.ts';

const list = command('list', 'List the webhooks of all DApps: registered webhooks and those of WEBHOOK rules').action(
  (options: DeskOptions) =>
    printFromDesk(options, async (call) => {
      const rows = [];
      for (const { paymasterId, name } of await call('paymasters.list', {})) {
        const owner = { paymasterId, dapp: name };
        const webhooks = await call('webhooks.list', { paymasterId });
        rows.push(...webhooks.map((webhook) => ({ ...webhook, rule: null, ...owner })));
        const rules = rulesOf(webhookSetup, await call('rules.list', { paymasterId }));
        for (const { _id: webhookId, name: rule, policyData, active } of rules) {
          rows.push({ webhookId, webhookUrl: policyData.url, requestType: 'POST', active, rule, ...owner });
        }
      }
      return rows;
    }),
);

/** Reads a JSON object from the command line. */
const jsonObject = (text: string): Record<string, unknown> => {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // The error is reported below.
  }
  throw new InvalidArgumentError('Use a JSON object.');
};

const webhookId = '<webhook>  URL or id of a webhook, or the name or id of a rule of type WEBHOOK';

/** `gasdesk webhook` */
export const webhookCommand = group('webhook', 'Webhooks', [
  list,
  calling('secret', 'Print the secret that signs calls to a webhook', 'webhooks.secret', { webhookId }),
  calling(
    'test',
    'Call a webhook as for a decision, and print its answer, but decide nothing',
    'webhooks.test',
    {
      webhookId,
      data: { words: '--webhook-data <json>  webhookData that the DApp would send', parse: jsonObject, byDefault: {} },
      userOp: { words: '--user-op <json>  user operation, for a webhook of a rule', parse: jsonObject },
    },
    ({ step, message, hint }) => ({
      outcome: step.outcome,
      code: step.code,
      message,
      hint,
      ms: step.micros / 1000,
      ...step.call,
    }),
  ),
]);
