import type { AlertKind } from '../../shared/schema/alert-channel.ts';

export interface AlertText {
  readonly title: string;
  readonly lines: readonly string[];
}

/** Discord takes the shortest messages: 2,000 characters. */
const MAX_LENGTH = 1_900;

/** Prevents a text from notifying people, such as a DApp that is named @channel. */
const withoutMentions = (text: string): string => text.replaceAll('@', '@\u200b');

/** Slack reads these characters as markup (api.slack.com/reference/surfaces/formatting). */
const forSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

export const plainText = ({ title, lines }: AlertText): string => [title, ...lines].join('\n').slice(0, MAX_LENGTH);

/**
 * The body of a call to a chat's incoming webhook.
 *
 * @param chat id of a Telegram chat
 */
export const chatMessage = (kind: Exclude<AlertKind, 'mail'>, text: AlertText, chat: string | null): object => {
  const message = plainText(text);
  switch (kind) {
    case 'slack':
      return { text: forSlack(message) };
    case 'discord':
      return { content: message, allowed_mentions: { parse: [] } };
    case 'telegram':
      return { chat_id: chat, text: message };
    case 'mattermost':
      return { text: withoutMentions(message) };
  }
};
