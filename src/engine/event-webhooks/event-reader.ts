import { concerns } from '../notifications/concerns.ts';
import type { EventDelivery, EventPosition, PlacedWebhook, StoredDelivery } from '../store/event-store.ts';
import type { Store } from '../store/store.ts';
import { type DeskEvent, entriesWith, eventOfNotification, eventsOfEntry } from './event.ts';

/** Events per read. */
export const PAGE = 50;

/** An event, and the position of a webhook that has received it. */
export interface NextEvent {
  readonly event: DeskEvent;
  readonly source: EventDelivery['source'];
  readonly position: number;
  readonly after: Pick<EventPosition, 'entry' | 'part' | 'notification'>;
}

/** Events to send. */
export interface EventPage {
  /** In order. Each is read only when it is needed. */
  readonly events: AsyncIterable<NextEvent>;
  /** The position of a webhook that has received all of them, once they are read. */
  readonly end: () => NextEvent['after'];
  readonly more: boolean;
}

/** What the reader of events needs. */
export type EventSources = Pick<Store, 'eventEntries' | 'eventNotifications' | 'findDecision' | 'listDapps'>;

/** Reads the events of the log and of the notifications. */
export const createEventReader = (store: EventSources) => ({
  /** Events of log entries and notifications, merged by time. */
  async readPage({ position, events: types, ...webhook }: PlacedWebhook): Promise<EventPage> {
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
    let after = { entry: position.entry, part: position.part, notification: position.notification };
    const notificationsUntil = function* (end: number): Generator<NextEvent> {
      for (let one = raised[0]; one !== undefined && one.raisedAt < end; one = raised[0]) {
        raised.shift();
        after = { ...after, notification: one.seq };
        const event = eventOfNotification(one);
        if (event !== undefined && wanted.has(event.type))
          yield { event, source: 'notification', position: one.seq, after };
      }
    };
    const inOrder = async function* (): AsyncGenerator<NextEvent> {
      for (const entry of entries) {
        yield* notificationsUntil(entry.at);
        const ofEntry = await eventsOfEntry(entry, (id) => store.findDecision(id));
        const sent = entry.entry === position.entry ? position.part : 0;
        for (const [part, event] of ofEntry.entries()) {
          const isLast = part === ofEntry.length - 1;
          const place = isLast ? { entry: entry.entry + 1, part: 0 } : { entry: entry.entry, part: part + 1 };
          if (part < sent) continue;
          after = { ...after, ...place };
          if (wanted.has(event.type)) yield { event, source: 'entry', position: entry.entry, after };
        }
      }
      // Later notifications come after entries that this page does not have.
      if (!more) yield* notificationsUntil(Infinity);
    };
    return {
      events: inOrder(),
      end: () => {
        const notification = more ? after.notification : Math.max(after.notification, found.at(-1)?.seq ?? 0);
        return { entry: next, part: 0, notification };
      },
      more: more || found.length === PAGE,
    };
  },

  /** The event of an earlier delivery; undefined if its notification is not stored any more. */
  async findAgain({ source, position, eventId, type }: StoredDelivery): Promise<DeskEvent | undefined> {
    if (source === 'notification') {
      const [found] = await store.eventNotifications(position - 1, 1);
      const event = found && eventOfNotification(found);
      return event?.id === eventId ? event : undefined;
    }
    const scope = { accountId: null, paymasterId: null };
    const kinds = entriesWith(new Set([type]));
    const { entries } = await store.eventEntries({ from: position, limit: 1, scope, ...kinds });
    const [entry] = entries;
    const events = entry === undefined ? [] : await eventsOfEntry(entry, (id) => store.findDecision(id));
    return events.find(({ id }) => id === eventId);
  },
});
