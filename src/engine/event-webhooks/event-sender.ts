import { EngineError } from '../../shared/errors.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { createPollLoop } from '../chain/poll-loop.ts';
import type { Notifications } from '../notifications/notifications.ts';
import { refusedEvent, silentEventWebhook } from '../notifications/words.ts';
import type { Vault } from '../signer/vault.ts';
import type { EventDelivery, EventPosition, PlacedWebhook, StoredDelivery } from '../store/event-store.ts';
import type { Store } from '../store/store.ts';
import type { Deliverer } from '../webhooks/deliver.ts';
import { refusalOf } from '../webhooks/refusal.ts';
import { fullWebhookUrl } from '../webhooks/url-in-vault.ts';
import { bodyOf } from './event.ts';
import { type EventPage, type EventSources, type NextEvent, PAGE, createEventReader } from './event-reader.ts';

export interface EventSenderOptions {
  readonly store: EventSources & Pick<Store, 'listEventWebhooks' | 'saveEventPosition' | 'dueEventDeliveries'>;
  /** Not the one that calls webhooks for decisions, so that neither waits for the other. */
  readonly webhooks: Deliverer;
  readonly notifications: Pick<Notifications, 'isOpen' | 'raise' | 'end'>;
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
/** How long a webhook is served before its position is stored. After a crash, events since then are sent again. */
const TURN_MS = 1_000;
const SHORTEST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 3_600_000;
/** After this many failed calls an event is given up: with these pauses, after 24 hours. */
const MOST_ATTEMPTS = 33;
/** After this many failed calls with one event, the operator is notified, and later events are tried. */
const PATIENT_ATTEMPTS = 3;
/** Number of later events that are tried: if the receiver accepts one, it refuses only the events before it. */
const LOOKAHEAD = 20;
/** Statuses from 400 to 499 that say nothing about the event: try later. */
const LATER = new Set([408, 425, 429]);
/** Maximum characters stored of a request, and of an answer. */
const MAX_STORED = 16_384;

const pauseAfter = (attempts: number): number => Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** (attempts - 1));

const isMoved = (before: EventPosition, after: EventPosition): boolean =>
  (['entry', 'part', 'notification'] as const).some((field) => before[field] !== after[field]);

const cut = (text: string): string => (text.length <= MAX_STORED ? text : `${text.slice(0, MAX_STORED)}…`);

/** Whether the receiver may refuse only this event, so that later ones are tried. */
const mayBeAlone = ({ status, attempts }: EventDelivery): boolean =>
  attempts >= PATIENT_ATTEMPTS || (status !== null && status >= 400 && status < 500 && !LATER.has(status));

/** Events that the receiver did not accept, oldest first. */
interface Failed {
  readonly called: EventDelivery;
  /** The position of a webhook that does not get the event any more. */
  readonly after: NextEvent['after'];
}

/** Whether to call with the event after those that failed. */
const mayGoOn = (failed: readonly Failed[]): boolean => {
  const [first] = failed;
  return first === undefined || (mayBeAlone(first.called) && failed.length <= LOOKAHEAD);
};

/** A failed delivery for which later events do not wait. */
const asideOrGivenUp = (called: EventDelivery): EventDelivery =>
  called.attempts < MOST_ATTEMPTS
    ? { ...called, state: 'aside', nextAt: called.attemptedAt + pauseAfter(called.attempts) }
    : { ...called, state: 'givenUp' };

const sentUpTo = (after: NextEvent['after']): EventPosition => ({ ...after, attempts: 0, failedAt: null, nextAt: 0 });

/** The position of a webhook whose events wait for the next one, which failed. */
const heldUpBy = ({ attempts, attemptedAt }: EventDelivery, before: EventPosition): EventPosition => ({
  ...before,
  attempts,
  failedAt: before.failedAt ?? attemptedAt,
  nextAt: attemptedAt + pauseAfter(attempts),
});

/** What happened while a webhook was served. */
interface Turn {
  /** Deliveries that no event waits for. */
  readonly made: EventDelivery[];
  position: EventPosition;
  /** The next event, if it was not accepted, and the later ones that were tried and not accepted either. */
  failed: Failed[];
}

/** The position to store after a turn, and the deliveries. */
const endOf = ({ made, position, failed: [first] }: Turn): Pick<Turn, 'made' | 'position'> => {
  if (first === undefined) return { made, position };
  const { called, after } = first;
  return called.attempts < MOST_ATTEMPTS
    ? { made: [...made, called], position: heldUpBy(called, position) }
    : { made: [...made, asideOrGivenUp(called)], position: sentUpTo(after) };
};

/**
 * Sends events to event webhooks: to each of them one at a time, in the order of the log. Events after one that is not
 * accepted wait for it, unless the receiver accepts one of them (behaviour 10.3). Webhooks do not wait for each other.
 */
export const createEventSender = (options: EventSenderOptions): EventSender => {
  const { store, webhooks, notifications, isLeader, vault, clock, log } = options;
  const reader = createEventReader(store);
  const serving = new Map<string, Promise<void>>();

  /** Sends an event, once. @throws Error if the sender stops meanwhile */
  const call = async (
    { webhookId, url }: PlacedWebhook,
    { event, source, position }: Omit<NextEvent, 'after'>,
    attempts: number,
  ): Promise<EventDelivery> => {
    const { id: eventId, type, at } = event;
    const attemptedAt = clock.now();
    const head = { webhookId, eventId, type, at, source, position, attempts, attemptedAt, nextAt: null };
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

  /** Notifies the operator if an event fails repeatedly. @param words of the notification */
  const notify = async (
    { webhookId, url }: PlacedWebhook,
    { attempts, error }: EventDelivery,
    words: typeof silentEventWebhook,
  ): Promise<void> => {
    if (attempts < PATIENT_ATTEMPTS || error === null) return;
    await notifications.raise({ kind: 'eventWebhook', subject: webhookId }, words(url, error));
  };

  /** Ends that notification as soon as no event fails any more. */
  const noteRecovery = async ({ webhookId }: PlacedWebhook): Promise<void> => {
    const condition = { kind: 'eventWebhook', subject: webhookId } as const;
    if (!notifications.isOpen(condition)) return;
    const failing = await store.dueEventDeliveries(webhookId, Number.MAX_SAFE_INTEGER, 1);
    if (failing.length === 0) await notifications.end(condition);
  };

  /** Stops a webhook's turn after about a second, and at once if this engine may not send any more. */
  const startTurn = (stop: AbortSignal): (() => boolean) => {
    const startedAt = clock.monotonic();
    return () => stop.aborted || !isLeader() || clock.monotonic() - startedAt >= TURN_MS;
  };

  /** Sends an event once more. What the operator asks for is one call: its result is shown. */
  const retry = async (webhook: PlacedWebhook, row: StoredDelivery): Promise<EventDelivery> => {
    const { deliveryId: _, ...before } = row;
    const event = await reader.findAgain(row);
    if (event === undefined)
      return { ...before, state: 'givenUp', error: 'Gasdesk no longer stores this event', nextAt: null };
    const called = await call(webhook, { ...row, event }, row.attempts + 1);
    if (called.state === 'delivered') return called;
    return row.state === 'again' ? { ...called, state: 'givenUp' } : asideOrGivenUp(called);
  };

  /** Sends the due events that later ones do not wait for, once each. */
  const retryAside = async (webhook: PlacedWebhook, stop: AbortSignal): Promise<void> => {
    const { webhookId, position } = webhook;
    const isOver = startTurn(stop);
    for (const row of await store.dueEventDeliveries(webhookId, clock.now(), PAGE)) {
      if (isOver()) return;
      const made = await retry(webhook, row);
      await store.saveEventPosition(webhookId, position, [made]);
      await notify(webhook, made, refusedEvent);
    }
  };

  /**
   * Sends the events of a page, for about a second, and records in `turn` what happened.
   *
   * @returns whether none is left
   */
  const sendPage = async (webhook: PlacedWebhook, page: EventPage, turn: Turn, stop: AbortSignal): Promise<boolean> => {
    let isOver = startTurn(stop);
    for await (const next of page.events) {
      if (isOver()) return false;
      const called = await call(webhook, next, turn.failed.length === 0 ? turn.position.attempts + 1 : 1);
      if (called.state === 'delivered') {
        turn.made.push(...turn.failed.map((one) => asideOrGivenUp(one.called)), called);
        turn.position = sentUpTo(next.after);
        turn.failed = [];
        continue;
      }
      turn.failed.push({ called, after: next.after });
      if (!mayGoOn(turn.failed)) return false;
      // However long that call took, one later event is tried.
      if (turn.failed.length === 1) isOver = startTurn(stop);
    }
    if (turn.failed.length > 0) return false;
    turn.position = sentUpTo(page.end());
    return true;
  };

  /** Sends a webhook's next events. @returns whether more may be due */
  const serve = async (webhook: PlacedWebhook, stop: AbortSignal): Promise<boolean> => {
    const { webhookId, position: before } = webhook;
    await retryAside(webhook, stop);
    // A time that is further ahead than any pause shows that the clock was set back.
    if (before.nextAt > clock.now() && before.nextAt <= clock.now() + LONGEST_PAUSE_MS) return false;
    const page = await reader.readPage(webhook);
    const turn: Turn = { made: [], position: before, failed: [] };
    let isAllSent: boolean;
    try {
      isAllSent = await sendPage(webhook, page, turn, stop);
    } finally {
      const { made, position } = endOf(turn);
      if (made.length > 0 || isMoved(before, position)) await store.saveEventPosition(webhookId, position, made);
    }
    const [first] = turn.failed;
    if (first === undefined) {
      await noteRecovery(webhook);
      return page.more || !isAllSent;
    }
    await notify(webhook, first.called, silentEventWebhook);
    return first.called.attempts >= MOST_ATTEMPTS;
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
