import { EngineError } from '../../shared/errors.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { createPollLoop } from '../chain/poll-loop.ts';
import { concerns } from '../notifications/concerns.ts';
import type { Notifications } from '../notifications/notifications.ts';
import { silentEventWebhook } from '../notifications/words.ts';
import type { Vault } from '../signer/vault.ts';
import type { EventDelivery, EventPosition, PlacedWebhook, StoredDelivery } from '../store/event-store.ts';
import type { Store } from '../store/store.ts';
import type { Deliverer } from '../webhooks/deliver.ts';
import { refusalOf } from '../webhooks/refusal.ts';
import { fullWebhookUrl } from '../webhooks/url-in-vault.ts';
import { type DeskEvent, bodyOf, entriesWith, eventOfNotification, eventsOfEntry } from './event.ts';

export interface EventSenderOptions {
  readonly store: Pick<
    Store,
    | 'listEventWebhooks'
    | 'eventEntries'
    | 'eventNotifications'
    | 'saveEventPosition'
    | 'listEventDeliveries'
    | 'findDecision'
    | 'listDapps'
  >;
  /** Not the one that calls webhooks for decisions, so that neither waits for the other. */
  readonly webhooks: Deliverer;
  readonly notifications: Pick<Notifications, 'raise' | 'end'>;
  readonly isLeader: () => boolean;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly log: Log;
}

export interface EventSender {
  /** Sends the events that webhooks have not received yet, and from then on new ones. */
  start(): void;
  /** Looks for events now, instead of within a second. */
  wake(): void;
  stop(): Promise<void>;
}

/** Total time for a call with an event. */
export const EVENT_TIMEOUT_MS = 15_000;

const POLL_MS = 1_000;
/** Events per read. */
const PAGE = 50;
/** How long a webhook is served before its position is stored. After a crash, events since then are sent again. */
const TURN_MS = 1_000;
const SHORTEST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 3_600_000;
/** An event is retried for this long after its first failed call. */
const GIVE_UP_MS = 24 * 3_600_000;
/** After this many failed calls with one event, the operator is notified. */
const NOTIFIED_ATTEMPTS = 3;
/** Maximum characters stored of a request, and of an answer. */
const MAX_STORED = 16_384;

const pauseAfter = (attempts: number): number => Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** (attempts - 1));

const isMoved = (before: EventPosition, after: EventPosition): boolean =>
  (['entry', 'part', 'notification'] as const).some((field) => before[field] !== after[field]);

const cut = (text: string): string => (text.length <= MAX_STORED ? text : `${text.slice(0, MAX_STORED)}…`);

/** An event, and the position of a webhook that has received it. */
interface NextEvent {
  readonly event: DeskEvent;
  readonly source: EventDelivery['source'];
  readonly position: number;
  readonly after: Pick<EventPosition, 'entry' | 'part' | 'notification'>;
}

/** Events to send, in order, and the position of a webhook that has received all of them. */
interface EventPage {
  readonly events: readonly NextEvent[];
  readonly end: Pick<EventPosition, 'entry' | 'part' | 'notification'>;
  readonly more: boolean;
}

/**
 * Sends events to event webhooks: to each of them one at a time, in the order of the log, until it accepts the event or
 * a day has passed. Webhooks do not wait for each other.
 */
export const createEventSender = (options: EventSenderOptions): EventSender => {
  const { store, webhooks, notifications, isLeader, vault, clock, log } = options;
  const serving = new Map<string, Promise<void>>();

  /** Events of log entries and notifications, merged by time. */
  const readPage = async ({ position, events: types, ...webhook }: PlacedWebhook): Promise<EventPage> => {
    const wanted = new Set(types);
    const { entries, next, more } = await store.eventEntries({
      from: position.entry,
      limit: PAGE,
      scope: webhook,
      ...entriesWith(wanted),
    });
    const found = await store.eventNotifications(position.notification, PAGE);
    const dapps = found.length === 0 ? [] : await store.listDapps();
    const raised = found.filter((one) => concerns(one, webhook, dapps));
    const events: NextEvent[] = [];
    let after = { entry: position.entry, part: position.part, notification: position.notification };
    const addNotifications = (before: number): void => {
      for (let one = raised[0]; one !== undefined && one.raisedAt < before; one = raised[0]) {
        raised.shift();
        after = { ...after, notification: one.seq };
        const event = eventOfNotification(one);
        if (event !== undefined && wanted.has(event.type))
          events.push({ event, source: 'notification', position: one.seq, after });
      }
    };
    for (const entry of entries) {
      addNotifications(entry.at);
      const ofEntry = await eventsOfEntry(entry, (id) => store.findDecision(id));
      const sent = entry.entry === position.entry ? position.part : 0;
      for (const [part, event] of ofEntry.entries()) {
        const isLast = part === ofEntry.length - 1;
        const place = isLast ? { entry: entry.entry + 1, part: 0 } : { entry: entry.entry, part: part + 1 };
        if (part < sent) continue;
        after = { ...after, ...place };
        if (wanted.has(event.type)) events.push({ event, source: 'entry', position: entry.entry, after });
      }
    }
    // Later notifications come after entries that this page does not have.
    if (!more) addNotifications(Infinity);
    const notification = more ? after.notification : Math.max(after.notification, found.at(-1)?.seq ?? 0);
    return { events, end: { entry: next, part: 0, notification }, more: more || found.length === PAGE };
  };

  /** Sends an event, once. @throws Error if the sender stops meanwhile */
  const call = async (
    { webhookId, url }: PlacedWebhook,
    { event, source, position }: Omit<NextEvent, 'after'>,
    attempts: number,
  ): Promise<EventDelivery> => {
    const { id: eventId, type, at } = event;
    const head = { webhookId, eventId, type, at, source, position, attempts, attemptedAt: clock.now() };
    const body = bodyOf(event);
    try {
      const response = await webhooks.deliver({
        webhookId,
        url: fullWebhookUrl(vault, webhookId, url),
        method: 'POST',
        secret: vault.webhookSecret(webhookId),
        decisionId: eventId,
        body,
      });
      const { request, status = null, response: text } = response.call;
      const error = refusalOf(response) ?? null;
      return {
        ...head,
        state: error === null ? 'delivered' : 'failing',
        status,
        error,
        requestHeaders: JSON.stringify(request.headers),
        requestBody: cut(body),
        response: cut(text),
        ms: Math.round(response.micros / 1_000),
      };
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      const unsent = { status: null, requestHeaders: '{}', requestBody: cut(body), response: '', ms: 0 };
      return { ...head, ...unsent, state: 'failing', error: error.message };
    }
  };

  /** The event of an earlier delivery; undefined if its notification is not stored any more. */
  const findAgain = async ({ source, position, eventId, type }: StoredDelivery): Promise<DeskEvent | undefined> => {
    if (source === 'notification') {
      const [found] = await store.eventNotifications(position - 1, 1);
      return found && eventOfNotification(found);
    }
    const scope = { accountId: null, paymasterId: null };
    const kinds = entriesWith(new Set([type]));
    const { entries } = await store.eventEntries({ from: position, limit: 1, scope, ...kinds });
    const [entry] = entries;
    const events = entry === undefined ? [] : await eventsOfEntry(entry, (id) => store.findDecision(id));
    return events.find(({ id }) => id === eventId);
  };

  /** Notifies the operator if a webhook fails repeatedly, and when it accepts events again. */
  const notify = async (
    { webhookId, url }: PlacedWebhook,
    { state, attempts, error }: EventDelivery,
  ): Promise<void> => {
    const condition = { kind: 'eventWebhook', subject: webhookId } as const;
    if (state === 'delivered' && attempts > 1) await notifications.end(condition);
    if (attempts === NOTIFIED_ATTEMPTS && error !== null)
      await notifications.raise(condition, silentEventWebhook(url, error));
  };

  /** Sends once more what the operator has asked for. Each is one call: the operator sees its result. */
  const sendAgain = async (webhook: PlacedWebhook): Promise<void> => {
    const { webhookId, position } = webhook;
    for (const row of await store.listEventDeliveries({ webhookId, state: 'again', limit: PAGE })) {
      const { deliveryId: _, ...before } = row;
      const event = await findAgain(row);
      const made =
        event === undefined
          ? { ...before, error: 'Gasdesk no longer stores this event' }
          : await call(webhook, { event, source: row.source, position: row.position }, row.attempts + 1);
      const state = made.error === null ? 'delivered' : 'givenUp';
      await store.saveEventPosition(webhookId, position, [{ ...made, state }]);
    }
  };

  /**
   * The position of a webhook after a call with its next event. @param after the position if it has the event, or does
   * not get it any more
   */
  const positionAfter = (
    { state, attempts, attemptedAt }: EventDelivery,
    before: EventPosition,
    after: NextEvent['after'],
  ): EventPosition =>
    state === 'failing'
      ? { ...before, attempts, failedAt: before.failedAt ?? attemptedAt, nextAt: attemptedAt + pauseAfter(attempts) }
      : { ...after, attempts: 0, failedAt: null, nextAt: 0 };

  /** Sends a webhook's next events, for about a second. @returns whether more may be due */
  const serve = async (webhook: PlacedWebhook, stop: AbortSignal): Promise<boolean> => {
    const { webhookId, position: before } = webhook;
    await sendAgain(webhook);
    // A time that is further ahead than any pause shows that the clock was set back.
    if (before.nextAt > clock.now() && before.nextAt <= clock.now() + LONGEST_PAUSE_MS) return false;
    const page = await readPage(webhook);
    const startedAt = clock.monotonic();
    const made: EventDelivery[] = [];
    let position = before;
    try {
      for (const next of page.events) {
        if (stop.aborted || !isLeader() || clock.monotonic() - startedAt >= TURN_MS) return true;
        const called = await call(webhook, next, position.attempts + 1);
        const isGivenUp =
          called.state === 'failing' && called.attemptedAt - (position.failedAt ?? Infinity) >= GIVE_UP_MS;
        const delivery: EventDelivery = isGivenUp ? { ...called, state: 'givenUp' } : called;
        made.push(delivery);
        position = positionAfter(delivery, position, next.after);
        await notify(webhook, delivery);
        if (delivery.state !== 'delivered') return isGivenUp;
      }
      position = { ...position, ...page.end };
      return page.more;
    } finally {
      if (position !== before && (made.length > 0 || isMoved(before, position)))
        await store.saveEventPosition(webhookId, position, made);
    }
  };

  const poll = async (stop: AbortSignal): Promise<void> => {
    if (!isLeader() || vault.state !== 'unlocked') return;
    for (const webhook of await store.listEventWebhooks()) {
      const { webhookId, active } = webhook;
      if (!active || serving.has(webhookId)) continue;
      const served = serve(webhook, stop)
        .catch((err: unknown) => {
          if (!stop.aborted) log.warn('eventWebhooks.failed', { err });
          return false;
        })
        .then((more) => {
          serving.delete(webhookId);
          if (more && !stop.aborted) void loop.pollNow();
        });
      serving.set(webhookId, served);
    }
  };
  const loop = createPollLoop({ clock, log, name: 'eventWebhooks', everyMs: POLL_MS, poll });
  return {
    start: () => loop.start(),
    wake: () => void loop.pollNow(),
    async stop() {
      const stopped = loop.stop();
      webhooks.close();
      await stopped;
      await Promise.all(serving.values());
    },
  };
};
