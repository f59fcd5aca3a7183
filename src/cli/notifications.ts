import { Option } from 'commander';
import { command, group, printFromDesk, wholeNumber } from './command.ts';
import type { DeskOptions } from './desk.ts';

const list = command('list', 'List what happened that needs the operator, newest first')
  .option('--limit <count>', 'the most that are listed', wholeNumber(1, 500), 100)
  .action(({ limit, ...options }: DeskOptions & { limit: number }) =>
    printFromDesk(options, async (call) => (await call('notifications.list', { limit })).notifications),
  );

const seen = command('seen', 'Mark all notifications as seen').action((options: DeskOptions) =>
  printFromDesk(options, async (call) => {
    const [newest] = (await call('notifications.list', { limit: 1 })).notifications;
    await call('notifications.markSeen', { upTo: newest?.seq ?? 0 });
    return { unseen: (await call('notifications.list', { limit: 1 })).unseen };
  }),
);

interface WebhookFlags {
  url?: string;
  remove?: boolean;
}

const webhook = command('webhook', 'Tell where notifications are sent, or send them to a URL from now on')
  .option('--url <url>', 'send them to this URL')
  .addOption(new Option('--remove', 'send them nowhere').conflicts('url'))
  .action(({ url, remove, ...options }: DeskOptions & WebhookFlags) =>
    printFromDesk(options, (call) => {
      if (remove === true) return call('notifications.setWebhook', { url: null });
      return url === undefined ? call('notifications.webhook', {}) : call('notifications.setWebhook', { url });
    }),
  );

const secret = command('secret', 'Print the secret that signs calls with notifications').action(
  (options: DeskOptions) => printFromDesk(options, (call) => call('notifications.secret', {})),
);

const test = command('test', 'Send a test notification to the URL').action((options: DeskOptions) =>
  printFromDesk(options, (call) => call('notifications.test', {})),
);

/** `gasdesk notifications`, which lists them where it is said alone. */
export const notificationsCommand = group('notifications', 'What happened that needs the operator', [
  seen,
  webhook,
  secret,
  test,
]).addCommand(list, { isDefault: true });
