import type { EntryBody } from '../../../core/log/entry.ts';
import type {
  DeliveryQuery,
  EventDelivery,
  EventEntry,
  EventEntryPage,
  EventEntryQuery,
  EventPosition,
  EventScope,
  EventWebhook,
  PlacedWebhook,
  StoredDelivery,
} from '../event-store.ts';
import type { Access } from '../access.ts';
import { LOG_SIZE } from '../log-rows.ts';
import type { Value } from '../rows.ts';
import { listOfNotifications } from './notification-rows.ts';
import { storedAs } from './stored-as.ts';

/** Positions of the log per read: it must end in some ms, even if no entry matches. */
const STRETCH = 5_000;

/** Number of deliveries to keep for each webhook, by their state. */
const KEPT = { delivered: 200, givenUp: 1_000 };

/** Maximum number of events of a webhook that are retried while later ones continue. The oldest others are given up. */
const MOST_ASIDE = 100;

const WEBHOOK = 'webhook_id, account_id, paymaster_id, url, events, active, created_at';
const POSITION = 'entry, part, notification, attempts, failed_at, next_at';
const DELIVERY =
  `webhook_id, event_id, type, at, source, position, state, attempts, attempted_at, next_at, status, error,
  request_headers, request_body, response, ms`.replaceAll(/\s+/g, ' ');

const LIST = `SELECT ${WEBHOOK}, ${POSITION}, CAST((SELECT count(*) FROM event_delivery
    WHERE event_delivery.webhook_id = event_webhook.webhook_id AND state = 'aside') AS integer) AS aside
  FROM event_webhook JOIN event_position USING (webhook_id)
  ORDER BY created_at, place`;

const PLACE = `INSERT INTO event_position (webhook_id, ${POSITION})
  SELECT $1, ${LOG_SIZE}, 0, (SELECT coalesce(max(seq), 0) FROM notification), 0, NULL, 0`;

const MOVE = `UPDATE event_position SET entry = $2, part = $3, notification = $4, attempts = $5, failed_at = $6,
  next_at = $7 WHERE webhook_id = $1 AND entry <= $2 AND notification <= $4`;

const GIVE_UP = `UPDATE event_delivery SET state = 'givenUp', next_at = NULL
  WHERE webhook_id = $1 AND state = 'aside' AND delivery_id <= (
    SELECT delivery_id FROM event_delivery WHERE webhook_id = $1 AND state = 'aside'
    ORDER BY delivery_id DESC LIMIT 1 OFFSET $2)`;

const AGAIN = `UPDATE event_delivery SET next_at = 0, state = CASE state WHEN 'aside' THEN state ELSE 'again' END
  WHERE webhook_id = $1`;

const TRIM = `DELETE FROM event_delivery WHERE webhook_id = $1 AND state = $2 AND delivery_id <= (
  SELECT delivery_id FROM event_delivery WHERE webhook_id = $1 AND state = $2
  ORDER BY delivery_id DESC LIMIT 1 OFFSET $3)`;

const ENTRIES = `SELECT position AS entry, log_entry.at, kind, log_entry.hash, body, paymaster_id FROM log_entry
  LEFT JOIN decision ON seq = settles
  WHERE position >= $1 AND position < $2 AND kind = ANY($4::text[]) ORDER BY position LIMIT $3`;

/** The scope as an SQL condition on decisions, with its values. */
const ofScope = ({ accountId, paymasterId }: EventScope, parameter: string): [sql: string, values: Value[]] => {
  if (paymasterId !== null) return [`AND paymaster_id = ${parameter}`, [paymasterId]];
  if (accountId === null) return ['', []];
  return [`AND paymaster_id IN (SELECT paymaster_id FROM paymaster WHERE account_id = ${parameter})`, [accountId]];
};

const webhooks = storedAs<Omit<PlacedWebhook, 'position'> & EventPosition>({ json: ['events'], flags: ['active'] });

const toWebhook = (row: object): PlacedWebhook => {
  const { entry, part, notification, attempts, failedAt, nextAt, ...webhook } = webhooks.read(row);
  return { ...webhook, position: { entry, part, notification, attempts, failedAt, nextAt } };
};

interface EntryRow {
  readonly entry: number;
  readonly at: number;
  readonly kind: 'settlement' | 'policy';
  readonly hash: Buffer;
  readonly body: string;
  /** Of the settled decision. */
  readonly paymasterId: string | null;
}

const toEntry = ({ hash, paymasterId, ...row }: EntryRow): EventEntry => ({
  ...row,
  hash: hash.toString('hex'),
  paymasterId: paymasterId ?? (JSON.parse(row.body) as EntryBody<'policy'>).paymasterId,
});

interface DecisionRow {
  readonly entry: number;
  readonly at: number;
  readonly hash: Buffer;
  readonly decisionId: string;
}

const valuesOf = (position: EventPosition): Value[] => {
  const { entry, part, notification, attempts, failedAt, nextAt } = position;
  return [entry, part, notification, attempts, failedAt, nextAt];
};

/**
 * Event webhooks. The log and the notifications are their outbox: a webhook has only a position in both, so that
 * neither decisions nor undelivered events cost a write.
 */
export const eventStore = ({ rows, write, writeShared }: Access) => {
  const decisionsIn = async ({ from, limit, scope, outcomes }: EventEntryQuery, to: number): Promise<EventEntry[]> => {
    if (outcomes.length === 0) return [];
    const [condition, values] = ofScope(scope, '$5');
    const found = await rows.all<DecisionRow>(
      `SELECT seq AS entry, entered_at AS at, hash, id AS decision_id FROM decision
       WHERE seq >= $1 AND seq < $2 AND outcome = ANY($4::text[]) AND hash IS NOT NULL ${condition}
       ORDER BY seq LIMIT $3`,
      [from, to, limit, outcomes, ...values],
    );
    return found.map(({ hash, ...row }) => ({ ...row, kind: 'decision', hash: hash.toString('hex') }));
  };
  const dappsIn = async ({ accountId, paymasterId }: EventScope): Promise<ReadonlySet<string> | undefined> => {
    if (paymasterId !== null) return new Set([paymasterId]);
    if (accountId === null) return undefined;
    const found = await rows.all<{ paymasterId: string }>('SELECT paymaster_id FROM paymaster WHERE account_id = $1', [
      accountId,
    ]);
    return new Set(found.map((one) => one.paymasterId));
  };

  return {
    /** Adds a webhook, which receives what happens from now on. */
    createEventWebhook: (webhook: EventWebhook): Promise<void> =>
      write(function* (tx) {
        yield* tx.insert('event_webhook', WEBHOOK, webhooks.write(webhook));
        yield* tx.run(PLACE, [webhook.webhookId]);
      }),
    /** Oldest first. */
    async listEventWebhooks(): Promise<PlacedWebhook[]> {
      return (await rows.all<object>(LIST)).map(toWebhook);
    },
    async saveEventWebhook({
      webhookId,
      url,
      events,
      active,
    }: Pick<EventWebhook, 'webhookId' | 'url' | 'events' | 'active'>): Promise<void> {
      await write(function* (tx) {
        yield* tx.update('event_webhook', { webhookId }, webhooks.write({ url, events, active }));
        // The change may be why the next call succeeds.
        yield* tx.update('event_position', { webhookId }, { nextAt: 0 });
      });
    },
    /** Deletes a webhook with its deliveries. */
    deleteEventWebhook: (webhookId: string): Promise<void> =>
      write(function* (tx) {
        for (const table of ['event_delivery', 'event_position', 'event_webhook'])
          yield* tx.remove(table, { webhookId });
      }),
    /** Entries from a position on, oldest first, read in some ms. */
    async eventEntries(query: EventEntryQuery): Promise<EventEntryPage> {
      const { from, limit, scope, kinds } = query;
      const size = (await rows.get<{ size: number }>(`SELECT ${LOG_SIZE} AS size`))?.size ?? 0;
      const to = Math.min(from + STRETCH, size);
      const dapps = await dappsIn(scope);
      const others = await rows.all<EntryRow>(ENTRIES, [from, to, limit, kinds]);
      const [decisions, changes] = [await decisionsIn(query, to), others.map(toEntry)];
      const entries = [...decisions, ...changes].sort((a, b) => a.entry - b.entry).slice(0, limit);
      const last = entries.at(-1);
      const next = entries.length === limit && last !== undefined ? last.entry + 1 : Math.max(from, to);
      const isMeant = (entry: EventEntry): boolean =>
        entry.kind === 'decision' || dapps?.has(entry.paymasterId) !== false;
      return { entries: entries.filter(isMeant), next, more: next < size };
    },
    /** Notifications after a position, oldest first. */
    eventNotifications: (after: number, limit: number) =>
      listOfNotifications(rows, 'WHERE seq > $1 ORDER BY seq LIMIT $2', [after, limit]),
    /** Stores the position of a webhook, unless it has moved beyond it, together with deliveries. */
    saveEventPosition: (
      webhookId: string,
      position: EventPosition,
      deliveries: readonly EventDelivery[],
    ): Promise<void> =>
      writeShared(function* (tx) {
        const known = yield* tx.get('SELECT 1 AS known FROM event_webhook WHERE webhook_id = $1', [webhookId]);
        if (known === undefined) return;
        yield* tx.run(MOVE, [webhookId, ...valuesOf(position)]);
        for (const delivery of deliveries)
          yield* tx.upsert('event_delivery', DELIVERY, delivery, 'webhook_id, event_id');
        if (deliveries.length === 0) return;
        yield* tx.run(GIVE_UP, [webhookId, MOST_ASIDE]);
        for (const [state, kept] of Object.entries(KEPT)) yield* tx.run(TRIM, [webhookId, state, kept]);
      }),
    /** Newest first. The newest 200 delivered events are kept, and the newest 1,000 that were given up. */
    listEventDeliveries: ({ webhookId, before = Number.MAX_SAFE_INTEGER, limit }: DeliveryQuery) =>
      rows.all<StoredDelivery>(
        `SELECT delivery_id, ${DELIVERY} FROM event_delivery WHERE webhook_id = $1 AND delivery_id < $2
         ORDER BY delivery_id DESC LIMIT $3`,
        [webhookId, before, limit],
      ),
    /** Deliveries whose next call is due at a time, and for which later events do not wait. */
    dueEventDeliveries: (webhookId: string, at: number, limit: number) =>
      rows.all<StoredDelivery>(
        `SELECT delivery_id, ${DELIVERY} FROM event_delivery WHERE webhook_id = $1 AND next_at <= $2
         ORDER BY next_at, delivery_id LIMIT $3`,
        [webhookId, at, limit],
      ),
    /** Marks deliveries to be sent again: one, or all that were given up. @returns their number */
    redeliverEvents: (webhookId: string, deliveryId?: number): Promise<number> =>
      writeShared((tx) =>
        deliveryId === undefined
          ? tx.run(`${AGAIN} AND state = 'givenUp'`, [webhookId])
          : tx.run(`${AGAIN} AND delivery_id = $2 AND state IN ('delivered', 'aside', 'givenUp')`, [
              webhookId,
              deliveryId,
            ]),
      ),
  };
};
