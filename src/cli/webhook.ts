import { command, group, printFromDesk } from './command.ts';
import type { DeskOptions } from './desk.ts';

const list = command('list', 'List the registered webhooks of every DApp').action((options: DeskOptions) =>
  printFromDesk(options, async (call) => {
    const rows = [];
    for (const { paymasterId, name } of await call('paymasters.list', {})) {
      const webhooks = await call('webhooks.list', { paymasterId });
      rows.push(...webhooks.map((webhook) => ({ ...webhook, paymasterId, dapp: name })));
    }
    return rows;
  }),
);

const secret = command('secret', 'Print the secret that signs calls to a webhook')
  .argument('<id>', 'id of the webhook')
  .action((webhookId: string, options: DeskOptions) =>
    printFromDesk(options, (call) => call('webhooks.secret', { webhookId })),
  );

/** `gasdesk webhook` */
export const webhookCommand = group('webhook', 'Registered webhooks', [list, secret]);
