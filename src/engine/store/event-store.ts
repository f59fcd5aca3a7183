import type { EventType } from '../../shared/schema/event-type.ts';

/** Whose events are meant. Both null: those of the whole desk. */
export interface EventScope {
  /** Only for this account's DApps. */
  readonly accountId: string | null;
  /** Only for this DApp. */
  readonly paymasterId: string | null;
}

export interface EventWebhook extends EventScope {
  readonly webhookId: string;
  /** In its shown form: the vault has what is hidden. */
  readonly url: string;
  readonly events: readonly EventType[];
  /** False: events wait until it is active again. */
  readonly active: boolean;
  /** Epoch ms. */
  readonly createdAt: number;
}

/** How far a webhook has received its events, and how long it has failed to receive the next one. */
export interface EventPosition {
  /** The log entry to send next. */
  readonly entry: number;
  /** Number of events of that entry that are sent. */
  readonly part: number;
  /** The `seq` of the last notification that is sent. */
  readonly notification: number;
  /** Failed calls with the next event. */
  readonly attempts: number;
  /** Time of the first failed call with the next event, epoch ms; null before one. */
  readonly failedAt: number | null;
  /** Time from which the next event is sent again, epoch ms. */
  readonly nextAt: number;
}

export interface PlacedWebhook extends EventWebhook {
  /** Number of events that are retried while later ones continue. */
  readonly aside: number;
  readonly position: EventPosition;
}

/**
 * `failing`: it is retried, and later events wait. `aside`: it is retried, and later events continue. `again`: the operator
 * wants it to be sent once more.
 */
export type DeliveryState = 'delivered' | 'failing' | 'aside' | 'givenUp' | 'again';

/** An event that was sent at least once, with the last call. */
export interface EventDelivery {
  readonly webhookId: string;
  /** The `webhook-id` of its calls, by which a receiver recognizes an event that it has. */
  readonly eventId: string;
  readonly type: EventType;
  /** Time of the event, epoch ms. */
  readonly at: number;
  /** What it reports: a log entry by its position, or a notification by its `seq`. */
  readonly source: 'entry' | 'notification';
  readonly position: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** Time of the last call, epoch ms. */
  readonly attemptedAt: number;
  /** Time of the next call if later events do not wait for it, epoch ms; otherwise null. */
  readonly nextAt: number | null;
  /** HTTP status of the last answer; null if there was none. */
  readonly status: number | null;
  /** Why the last call failed; null if it succeeded. */
  readonly error: string | null;
  /** Headers and body of the last call, and the body of its answer. Long texts are cut. */
  readonly requestHeaders: string;
  readonly requestBody: string;
  readonly response: string;
  /** Time that the last call took, in ms. */
  readonly ms: number;
}

export interface StoredDelivery extends EventDelivery {
  /** Counts upwards. */
  readonly deliveryId: number;
}

/** An entry of the log that event webhooks report. */
export type EventEntry = {
  readonly entry: number;
  readonly at: number;
  /** Leaf hash, hex. */
  readonly hash: string;
} & (
  | { readonly kind: 'decision'; readonly decisionId: string }
  | { readonly kind: 'settlement'; readonly body: string; readonly paymasterId: string }
  | { readonly kind: 'policy'; readonly body: string; readonly paymasterId: string }
);

export interface EventEntryQuery {
  readonly from: number;
  readonly limit: number;
  readonly scope: EventScope;
  /** Outcomes of the decisions to read. */
  readonly outcomes: readonly ('sponsored' | 'denied')[];
  readonly kinds: readonly ('settlement' | 'policy')[];
}

export interface EventEntryPage {
  readonly entries: readonly EventEntry[];
  /** The position after those that were read. */
  readonly next: number;
  /** False: the end of the log is reached. */
  readonly more: boolean;
}

export interface DeliveryQuery {
  readonly webhookId: string;
  /** Only deliveries with a lower id. */
  readonly before?: number | undefined;
  readonly limit: number;
}
