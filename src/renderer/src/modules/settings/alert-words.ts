import type { AlertKind } from '../../../../shared/schema/alert-channel.ts';

/** Name of each kind of channel. */
export const alertKindWords: Readonly<Record<AlertKind, string>> = {
  mail: 'Mail',
  slack: 'Slack',
  discord: 'Discord',
  telegram: 'Telegram',
  mattermost: 'Mattermost',
};
