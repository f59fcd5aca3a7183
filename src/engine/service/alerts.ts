import type { AlertChannelView } from '../../api/alerts.ts';
import type { AlertKind } from '../../shared/schema/alert-channel.ts';
import { EngineError } from '../../shared/errors.ts';
import { mailAddress } from '../../shared/schema/alert-channel.ts';
import { alertUrlName } from '../alerts/alert-sender.ts';
import { Secret } from '../base/secret.ts';
import type { UsedAlertChannel } from '../store/alert-store.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

/** Maximum number of channels of an account, and of the desk. */
const MOST = 20;

const isMailServer = (url: string): boolean => /^smtps?:/i.test(url);

interface Place {
  readonly kind: AlertKind;
  /** Undefined: unchanged. */
  readonly url: string | undefined;
  readonly recipient: string | null;
  readonly sender: string | null;
}

/** Why alerts cannot be sent there; undefined if they can. */
const errorIn = ({ kind, url, recipient, sender }: Place): string | undefined => {
  if (kind === 'mail') {
    if (url !== undefined && !isMailServer(url)) return 'url must be an smtp or smtps URL';
    if (!mailAddress.safeParse(recipient).success) return 'recipient must be a mail address';
    return sender === null ? 'sender must be a mail address' : undefined;
  }
  if (url !== undefined && isMailServer(url)) return 'url must be an http or https URL';
  if (sender !== null) return 'sender is only for mail';
  if (kind === 'telegram') return recipient === null ? 'recipient must be the id of a Telegram chat' : undefined;
  return recipient === null ? undefined : 'recipient is only for mail and Telegram';
};

/** Checks a place for alerts. @throws EngineError `VALIDATION` */
const checkPlace = (place: Place): void => {
  const error = errorIn(place);
  if (error !== undefined) throw new EngineError('VALIDATION', error, { errors: [error] });
};

const view = ({ attempts: _a, nextAt: _n, ...channel }: UsedAlertChannel): AlertChannelView => channel;

/** Procedures for alerts (behaviour 10.4). */
export const alertHandlers = (context: ServiceContext): Handlers<NamesOf<'alerts'>> => {
  const { store, vault, clock, entropy, alerts } = context;

  const listOf = async (accountId: string | undefined): Promise<UsedAlertChannel[]> =>
    (await store.listAlertChannels()).filter((one) => accountId === undefined || one.accountId === accountId);
  const requireChannel = async (named: { accountId?: string | undefined; channelId: string }) => {
    const found = (await listOf(named.accountId)).find(({ channelId }) => channelId === named.channelId);
    if (found === undefined) throw new EngineError('ALERT_CHANNEL_NOT_FOUND');
    return found;
  };

  return {
    'alerts.create': async ({ accountId, kind, url, recipient = null, sender = null, quiet = null }) => {
      checkPlace({ kind, url, recipient, sender });
      if (accountId !== undefined && (await store.findAccount(accountId)) === undefined)
        throw new EngineError('ACCOUNT_NOT_FOUND');
      const same = (await store.listAlertChannels()).filter((one) => one.accountId === (accountId ?? null));
      if (same.length >= MOST) throw new EngineError('TOO_MANY', `Alerts are already sent to ${MOST} places`);
      const channelId = entropy.uuid();
      await vault.set(alertUrlName(channelId), new Secret(url));
      const { host } = new URL(url);
      const place = { accountId: accountId ?? null, kind, host, recipient, sender, quiet };
      await store.createAlertChannel({ channelId, ...place, active: true, createdAt: clock.now() });
      return view(await requireChannel({ channelId }));
    },
    'alerts.list': async ({ accountId }) => (await listOf(accountId)).map(view),
    'alerts.update': async ({ url, recipient, sender, quiet, active, ...named }) => {
      const before = await requireChannel(named);
      const { channelId, kind } = before;
      const place = { recipient: recipient ?? before.recipient, sender: sender ?? before.sender };
      checkPlace({ kind, url, ...place });
      if (url !== undefined) await vault.set(alertUrlName(channelId), new Secret(url));
      await store.saveAlertChannel({
        channelId,
        ...place,
        host: url === undefined ? before.host : new URL(url).host,
        quiet: quiet === undefined ? before.quiet : quiet,
        active: active ?? before.active,
      });
      return view(await requireChannel(named));
    },
    'alerts.delete': async (named) => {
      const { channelId } = await requireChannel(named);
      await store.deleteAlertChannel(channelId);
      if (vault.state === 'unlocked') await vault.delete(alertUrlName(channelId));
      return null;
    },
    'alerts.test': async (named) => {
      const error = await alerts.test(await requireChannel(named));
      return { ok: error === undefined, message: error ?? 'The test alert was accepted.' };
    },
  };
};
