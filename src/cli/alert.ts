import { InvalidArgumentError } from 'commander';
import { group } from './command.ts';
import { calling } from './fields.ts';

const channelId = '<id>  id of the channel, as "alert list" shows it, or its beginning, or its host';
const unchanged = { accountId: null, url: null, recipient: null, sender: null, quiet: null } as const;

/** Reads a period such as 22:00-07:00, which may be followed by a time zone. */
const quietArgument = (text: string): { from: string; to: string; zone?: string } => {
  const [, from, to, zone] = /^(\d\d:\d\d)-(\d\d:\d\d)(?: (\S+))?$/.exec(text.trim()) ?? [];
  if (from === undefined || to === undefined)
    throw new InvalidArgumentError('Use a period such as "22:00-07:00 Europe/Berlin".');
  return { from, to, ...(zone !== undefined && { zone }) };
};

const QUIET = '--quiet <period>  hours in which alerts wait, such as "22:00-07:00 Europe/Berlin"';

/** `gasdesk alert` */
export const alertCommand = group('alert', 'Alerts by mail and chat', [
  calling('add', 'Send alerts by mail, or to a chat that has an incoming webhook', 'alerts.create', {
    accountId: '--account <account>  account whose DApps the alerts must concern (default: the whole desk)',
    kind: 'what receives the alerts',
    url: 'incoming webhook of the chat, or smtps://user:password@host; stored in the vault',
    recipient: '--to <recipient>  mail address, or id of a Telegram chat',
    sender: '--from <address>  mail address of the sender',
    quiet: { words: QUIET, parse: quietArgument },
  }),
  calling('list', 'List where alerts are sent', 'alerts.list', {
    accountId: '--account <account>  only those of this account: its name, or its id',
  }),
  calling('update', 'Change where alerts are sent', 'alerts.update', {
    accountId: null,
    channelId,
    url: 'incoming webhook of the chat, or smtps://user:password@host; stored in the vault',
    recipient: '--to <recipient>  mail address, or id of a Telegram chat',
    sender: '--from <address>  mail address of the sender',
    quiet: { words: `${QUIET}, or "none"`, none: 'none', parse: quietArgument },
    active: null,
  }),
  calling('pause', 'Send no alerts there until it is unpaused', 'alerts.update', {
    ...unchanged,
    channelId,
    active: { read: () => false },
  }),
  calling('unpause', 'Send alerts there again', 'alerts.update', {
    ...unchanged,
    channelId,
    active: { read: () => true },
  }),
  calling(
    'remove',
    'Send no more alerts there',
    'alerts.delete',
    { accountId: null, channelId },
    (_none, { input }) => ({ channelId: input.channelId }),
  ),
  calling('test', 'Send a test alert, once, even in quiet hours', 'alerts.test', { accountId: null, channelId }),
]);
