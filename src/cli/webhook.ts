import { command, group, printFromDesk } from './command.ts';
import type { DeskOptions } from './desk.ts';

const list = command('list', 'List the webhooks of every DApp, registered and of rules').action(
  (options: DeskOptions) =>
    printFromDesk(options, async (call) => {
      const rows = [];
      for (const { paymasterId, name } of await call('paymasters.list', {})) {
        const owner = { paymasterId, dapp: name };
        const webhooks = await call('webhooks.list', { paymasterId });
        rows.push(...webhooks.map((webhook) => ({ ...webhook, rule: null, ...owner })));
        for (const { _id: webhookId, name: rule, policyData, active } of await call('rules.list', { paymasterId })) {
          if (!('url' in policyData)) continue;
          rows.push({ webhookId, webhookUrl: policyData.url, requestType: 'POST', active, rule, ...owner });
        }
      }
      return rows;
    }),
);

const secret = command('secret', 'Print the secret that signs calls to a webhook')
  .argument('<id>', 'id of the webhook, or of a rule of type WEBHOOK')
  .action((webhookId: string, options: DeskOptions) =>
    printFromDesk(options, (call) => call('webhooks.secret', { webhookId })),
  );

/** `gasdesk webhook` */
export const webhookCommand = group('webhook', 'Webhooks', [list, secret]);
