import type { Clock, Entropy } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Store } from '../store/store.ts';
import type { Condition, StoredNotification } from '../store/notification-store.ts';
import type { NotificationText } from './words.ts';

/** Notifications for the operator. Console, tray and webhook show the same ones. */
export interface Notifications {
  isOpen(happening: Condition): boolean;
  open(): readonly StoredNotification[];
  /**
   * Starts a notification, unless it has already started or another engine is responsible. Never rejects: storage
   * errors are logged.
   */
  raise(happening: Condition, text: NotificationText, decisionId?: string): Promise<void>;
  /** Ends a notification that has started, unless another engine is responsible. Never rejects. */
  end(happening: Condition): Promise<void>;
  /**
   * Calls the listener when a notification has started or ended, and is stored. @returns a function that unsubscribes
   */
  follow(listener: (notification: StoredNotification) => void): () => void;
  refresh(): Promise<void>;
  stop(): Promise<void>;
}

export interface NotificationsOptions {
  readonly store: Pick<Store, 'raiseNotification' | 'endNotification' | 'openNotifications' | 'listNotifications'>;
  readonly isLeader: () => boolean;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log: Log;
}

/** The number of ended notifications that the store keeps. */
const MAX_NOTIFICATIONS = 500;

const keyOf = ({ kind, subject }: Condition): string => `${kind} ${subject}`;

export const createNotifications = async (options: NotificationsOptions): Promise<Notifications> => {
  const { store, isLeader, clock, entropy, log } = options;
  const open = new Map((await store.openNotifications()).map((one) => [keyOf(one), one]));
  const listeners = new Set<(notification: StoredNotification) => void>();
  let last = Promise.resolve();
  /** Runs one action at a time, so that simultaneous starts and ends keep their order. */
  const inTurn = (act: () => Promise<readonly StoredNotification[]>): Promise<void> => {
    last = last.then(act).then(
      (changed) => {
        for (const notification of changed) for (const listener of listeners) listener(notification);
      },
      (err: unknown) => log.error('notifications.error', { err }),
    );
    return last;
  };
  const readOthers = async (): Promise<readonly StoredNotification[]> => {
    const now = new Map((await store.openNotifications()).map((one) => [one.seq, one]));
    const known = new Set([...open.values()].map(({ seq }) => seq));
    const begun = [...now.values()].filter(({ seq }) => !known.has(seq));
    const isOver = [...known].some((seq) => !now.has(seq));
    const newest = isOver ? await store.listNotifications(MAX_NOTIFICATIONS) : [];
    const ended = newest.filter(({ seq, endedAt }) => known.has(seq) && endedAt !== null);
    open.clear();
    for (const one of now.values()) open.set(keyOf(one), one);
    return [...ended, ...begun];
  };
  return {
    isOpen: (happening) => open.has(keyOf(happening)),
    open: () => [...open.values()],
    raise: (happening, text, decisionId) =>
      inTurn(async () => {
        if (!isLeader() || open.has(keyOf(happening))) return [];
        const { kind, subject } = happening;
        const raised = await store.raiseNotification({
          id: entropy.uuid(),
          kind,
          subject,
          raisedAt: clock.now(),
          ...text,
          decisionId: decisionId ?? null,
        });
        if (raised === undefined) return [];
        open.set(keyOf(happening), raised);
        return [raised];
      }),
    end: (happening) =>
      inTurn(async () => {
        if (!isLeader() || !open.has(keyOf(happening))) return [];
        const ended = await store.endNotification(happening, clock.now());
        open.delete(keyOf(happening));
        return ended === undefined ? [] : [ended];
      }),
    refresh: () => inTurn(readOthers),
    follow(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop: () => last,
  };
};
