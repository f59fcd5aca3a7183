import { Option } from 'commander';
import { command, group, printFromDesk } from './command.ts';
import type { DeskOptions } from './desk.ts';
import { calling } from './fields.ts';

const list = calling(
  'list',
  'List notifications, newest first',
  'notifications.list',
  { limit: '--limit <count>  maximum number of notifications' },
  ({ notifications }) => notifications,
);

const seen = command('seen', 'Mark all notifications as seen').action((options: DeskOptions) =>
  printFromDesk(options, async (call) => {
    const [newest] = (await call('notifications.list', { limit: 1 })).notifications;
    await call('notifications.markSeen', { upTo: newest?.seq ?? 0 });
    return { unseen: (await call('notifications.list', { limit: 1 })).unseen };
  }),
);

const webhook = command('webhook', 'Show where notifications are sent, or send them to a URL from now on')
  .option('--url <url>', 'send them to this URL')
  .addOption(new Option('--remove', 'stop sending them').conflicts('url'))
  .action(({ url, remove, ...options }: DeskOptions & { url?: string; remove?: boolean }) =>
    printFromDesk(options, (call) => {
      if (remove === true) return call('notifications.setWebhook', { url: null });
      return url === undefined ? call('notifications.webhook', {}) : call('notifications.setWebhook', { url });
    }),
  );

/** `gasdesk notifications`, which lists them unless a subcommand is given. */
export const notificationsCommand = group('notifications', 'Notifications', [
  seen,
  webhook,
  calling('secret', 'Print the secret that signs calls with notifications', 'notifications.secret', {}),
  calling('test', 'Send a test notification to the URL', 'notifications.test', {}),
]).addCommand(list, { isDefault: true });
