import type { EntryBody } from '../../core/log/entry.ts';
import type { NotificationKind } from '../../api/notifications.ts';
import type { DecisionRecord } from '../../shared/schema/decision.ts';
import type { EventType } from '../../shared/schema/event-type.ts';
import type { EventEntry } from '../store/event-store.ts';
import type { StoredNotification } from '../store/notification-store.ts';

/** An event as an event webhook receives it (behaviour 10.2). */
export interface DeskEvent {
  /** The same whenever the event is sent. */
  readonly id: string;
  readonly type: EventType;
  /** Epoch ms. */
  readonly at: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Enough characters of an entry's hash to identify it. */
const ID_LENGTH = 32;

const idOf = ({ hash }: EventEntry, part = ''): string => `evt_${hash.slice(0, ID_LENGTH)}${part}`;

const settled = ({ settlement, reverted }: EntryBody<'settlement'>): EventType | undefined => {
  // A re-org removed the block of the operation. What becomes of it is an event of its own.
  if (settlement === 'reserved') return undefined;
  if (settlement !== 'settled') return 'operation.expired';
  return reverted === true ? 'operation.reverted' : 'operation.settled';
};

const eventsOfDecision = (entry: EventEntry, decision: DecisionRecord): DeskEvent[] => {
  const { at } = entry;
  // The state at the time of the event: an event is the same whenever it is sent.
  const settlement = decision.outcome === 'sponsored' ? 'reserved' : null;
  const data = { ...decision, settlement, actualCostWei: null };
  if (decision.outcome === 'sponsored') return [{ id: idOf(entry), type: 'operation.sponsored', at, data }];
  const denied: DeskEvent = { id: idOf(entry), type: 'operation.denied', at, data };
  if (decision.code !== 'LIMIT_REACHED') return [denied];
  return [denied, { id: idOf(entry, '_limit'), type: 'limit.reached', at, data }];
};

/**
 * The events of a log entry, oldest first.
 *
 * @param find reads a decision
 */
export const eventsOfEntry = async (
  entry: EventEntry,
  find: (decisionId: string) => Promise<DecisionRecord | undefined>,
): Promise<DeskEvent[]> => {
  const { at } = entry;
  if (entry.kind === 'policy') {
    const { paymasterId, hash } = JSON.parse(entry.body) as EntryBody<'policy'>;
    return [{ id: idOf(entry), type: 'policy.changed', at, data: { paymasterId, policy: hash } }];
  }
  if (entry.kind === 'decision') {
    const decision = await find(entry.decisionId);
    return decision === undefined ? [] : eventsOfDecision(entry, decision);
  }
  const body = JSON.parse(entry.body) as EntryBody<'settlement'>;
  const type = settled(body);
  const decision = type === undefined ? undefined : await find(body.decision);
  if (type === undefined || decision === undefined) return [];
  const { settlement, actualCostWei, block } = body;
  return [{ id: idOf(entry), type, at, data: { ...decision, settlement, actualCostWei, block } }];
};

const CONDITIONS: Readonly<Partial<Record<NotificationKind, EventType>>> = {
  tankLow: 'tank.low',
  tankEmpty: 'tank.low',
  breaker: 'breaker.tripped',
  node: 'node.unreachable',
  backup: 'backup.failed',
};

/** The event of the start of a notification; undefined if it is none. */
export const eventOfNotification = (notification: StoredNotification): DeskEvent | undefined => {
  const { id, kind, subject, title, body, raisedAt, decisionId } = notification;
  const type = CONDITIONS[kind];
  if (type === undefined) return undefined;
  const data = { kind, subject, title, body, decisionId };
  return { id: `evt_${id.replaceAll('-', '')}`, type, at: raisedAt, data };
};

/** The body of a call with an event (Standard Webhooks). */
export const bodyOf = ({ type, at, data }: DeskEvent): string =>
  JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });

/** The kinds of log entries, and outcomes of decisions, that have events of some types. */
export const entriesWith = (events: ReadonlySet<EventType>) => {
  const has = (...types: EventType[]): boolean => types.some((type) => events.has(type));
  return {
    outcomes: [
      ...(has('operation.sponsored') ? (['sponsored'] as const) : []),
      ...(has('operation.denied', 'limit.reached') ? (['denied'] as const) : []),
    ],
    kinds: [
      ...(has('operation.settled', 'operation.reverted', 'operation.expired') ? (['settlement'] as const) : []),
      ...(has('policy.changed') ? (['policy'] as const) : []),
    ],
  };
};
