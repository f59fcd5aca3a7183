import { duration } from '../../shared/denials.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Clock, Entropy } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { createPollLoop } from '../chain/poll-loop.ts';
import { concerns } from '../notifications/concerns.ts';
import type { Notifications } from '../notifications/notifications.ts';
import { pageOf } from '../notifications/words.ts';
import type { Vault } from '../signer/vault.ts';
import type { AlertChannel, DueAlert, UsedAlertChannel } from '../store/alert-store.ts';
import type { Store } from '../store/store.ts';
import type { Deliverer } from '../webhooks/deliver.ts';
import { WebhookError } from '../webhooks/error.ts';
import { refusalOf } from '../webhooks/refusal.ts';
import { type AlertText, chatMessage, plainText } from './chat-message.ts';
import { isQuiet } from './quiet-hours.ts';
import type { SendMail } from './send-mail.ts';

export interface AlertSenderOptions {
  readonly store: Pick<Store, 'listAlertChannels' | 'dueAlerts' | 'alertSent' | 'saveAlertAttempt' | 'listDapps'>;
  /** Not the one that calls webhooks for decisions, so that neither waits for the other. */
  readonly webhooks: Deliverer;
  readonly sendMail: SendMail;
  readonly notifications: Pick<Notifications, 'follow'>;
  readonly isLeader: () => boolean;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log: Log;
  readonly address: () => string | null;
}

export interface AlertSender {
  start(): void;
  /**
   * Sends a test alert, once, even in quiet hours.
   *
   * @returns why it failed; undefined if it succeeded
   */
  test(channel: AlertChannel): Promise<string | undefined>;
  stop(): Promise<void>;
}

const POLL_MS = 5_000;
/** After this time, alerts that a channel has not accepted are dropped. */
const GIVE_UP_MS = 24 * 3_600_000;
const LONGEST_PAUSE_MS = 15 * 60_000;
/** Alerts per poll and channel. */
const MOST = 20;

const pauseAfter = (attempts: number): number => Math.min(LONGEST_PAUSE_MS, POLL_MS * 2 ** attempts);

/** Id of the URL of a channel in the vault. */
export const alertUrlName = (channelId: string): string => `alert.${channelId}.url`;

/** Why no mail was sent, to be used after a colon. */
const mailErrorText = (error: unknown): string => {
  if (!(error instanceof WebhookError)) return error instanceof Error ? error.message : String(error);
  const { address, range } = error.evidence;
  return `Gasdesk does not call the address ${String(address)} (${String(range)})`;
};

/** Sends alerts to people: when something starts of which the operator is notified, and when it is over. */
export const createAlertSender = (options: AlertSenderOptions): AlertSender => {
  const { store, webhooks, sendMail, notifications, isLeader, vault, clock, entropy, log, address } = options;
  const stopping = new AbortController();

  const textOf = ({ notification, isEnd }: DueAlert): AlertText => {
    const { title, body, raisedAt, endedAt } = notification;
    const desk = address();
    const link = desk === null ? [] : [`${desk}/console/#${pageOf(notification)}`];
    if (!isEnd) return { title, lines: [body, ...link] };
    return {
      title: `Resolved: ${title}`,
      lines: [`It lasted ${duration((endedAt ?? raisedAt) - raisedAt)}.`, ...link],
    };
  };

  const callChat = async ({ channelId, kind, recipient }: AlertChannel, url: string, text: AlertText, id: string) => {
    const response = await webhooks.deliver({
      webhookId: channelId,
      url,
      method: 'POST',
      secret: vault.webhookSecret(channelId),
      decisionId: id,
      body: JSON.stringify(chatMessage(kind as Exclude<typeof kind, 'mail'>, text, recipient)),
    });
    return refusalOf(response);
  };
  /** Sends an alert, once. @returns why the channel did not take it; undefined if it did */
  const send = async (channel: AlertChannel, text: AlertText, id: string): Promise<string | undefined> => {
    const { channelId, kind, host, sender, recipient } = channel;
    const url = vault.get(alertUrlName(channelId));
    if (url === undefined) return 'The vault does not contain the URL of this channel. Enter the URL again';
    if (kind !== 'mail') return callChat(channel, url.reveal(), text, id);
    const mail = { from: sender ?? '', to: recipient ?? '', subject: `Gasdesk: ${text.title}`, text: plainText(text) };
    try {
      await sendMail(url, mail, stopping.signal);
      return undefined;
    } catch (error) {
      stopping.signal.throwIfAborted();
      return `The mail server ${host} did not take the mail: ${mailErrorText(error)}`;
    }
  };
  const attempt = async (channel: UsedAlertChannel, text: AlertText, id: string): Promise<string | undefined> => {
    const error = await send(channel, text, id);
    const attempts = error === undefined ? 0 : channel.attempts + 1;
    const attemptedAt = clock.now();
    const nextAt = error === undefined ? 0 : attemptedAt + pauseAfter(attempts);
    await store.saveAlertAttempt(channel.channelId, { attempts, nextAt, attemptedAt, error: error ?? null });
    return error;
  };

  const serve = async (channel: UsedAlertChannel, stop: AbortSignal): Promise<void> => {
    const { channelId, accountId, quiet, nextAt } = channel;
    const now = clock.now();
    // A time that is further ahead than any pause shows that the clock was set back.
    if (nextAt > now && nextAt <= now + LONGEST_PAUSE_MS) return;
    if (quiet !== null && isQuiet(quiet, now)) return;
    const due = await store.dueAlerts(channelId, MOST);
    if (due.length === 0) return;
    const dapps = await store.listDapps();
    for (const alert of due) {
      if (stop.aborted || !isLeader()) return;
      const { notification } = alert;
      const isMeant = concerns(notification, { accountId, paymasterId: null }, dapps);
      const isOld = now - (notification.endedAt ?? notification.raisedAt) > GIVE_UP_MS;
      const id = `${notification.id}.${alert.isEnd ? 'ended' : 'raised'}`;
      if (isMeant && !isOld && (await attempt(channel, textOf(alert), id)) !== undefined) return;
      await store.alertSent(channelId, alert);
    }
  };

  const poll = async (stop: AbortSignal): Promise<void> => {
    if (!isLeader() || vault.state !== 'unlocked') return;
    const channels = (await store.listAlertChannels()).filter(({ active }) => active);
    const served = await Promise.allSettled(channels.map((channel) => serve(channel, stop)));
    const failed = served.find((result) => result.status === 'rejected');
    if (failed !== undefined && !stop.aborted) throw failed.reason;
  };
  const loop = createPollLoop({ clock, log, name: 'alerts', everyMs: POLL_MS, poll });
  let unfollow = (): void => undefined;
  return {
    start() {
      unfollow = notifications.follow(() => void loop.pollNow());
      loop.start();
    },
    async test(channel) {
      if (vault.state !== 'unlocked') throw new EngineError('VAULT_LOCKED');
      const used = (await store.listAlertChannels()).find(({ channelId }) => channelId === channel.channelId);
      const text = { title: 'A test of Gasdesk', lines: ['Alerts arrive here.'] };
      return used === undefined ? undefined : attempt(used, text, entropy.uuid());
    },
    async stop() {
      unfollow();
      const stopped = loop.stop();
      stopping.abort(new Error('Gasdesk is stopping'));
      webhooks.close();
      await stopped;
    },
  };
};
