import type { Clock, Entropy } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Happening, NotificationStore, StoredNotification } from '../store/notification-store.ts';
import type { Told } from './words.ts';

/** What the operator is told, whichever way: console, tray and webhook hear the same. */
export interface Notifications {
  /** True while it lasts. */
  isOpen(happening: Happening): boolean;
  /** Those that last. */
  open(): readonly StoredNotification[];
  /** Begins it, unless it lasts already. Never rejects: what cannot be stored is logged. */
  raise(happening: Happening, told: Told, decisionId?: string): Promise<void>;
  /** Ends it, if it lasts. Never rejects. */
  end(happening: Happening): Promise<void>;
  /** Calls the listener with what begins and what ends, once it is stored. @returns ends that */
  follow(listener: (notification: StoredNotification) => void): () => void;
  /** Waits for what is being stored. */
  stop(): Promise<void>;
}

/** What notifications stand on. */
export interface NotificationsOptions {
  readonly store: Pick<NotificationStore, 'raiseNotification' | 'endNotification' | 'openNotifications'>;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log: Log;
}

const keyOf = ({ kind, subject }: Happening): string => `${kind} ${subject}`;

/** Notifications in the store; which of them last is known without asking it. */
export const createNotifications = async (options: NotificationsOptions): Promise<Notifications> => {
  const { store, clock, entropy, log } = options;
  const open = new Map((await store.openNotifications()).map((one) => [keyOf(one), one]));
  const listeners = new Set<(notification: StoredNotification) => void>();
  let last = Promise.resolve();
  /** One after the other: what begins and ends at the same time is told in its order. */
  const inTurn = (act: () => Promise<StoredNotification | undefined>): Promise<void> => {
    last = last.then(act).then(
      (notification) => {
        if (notification === undefined) return;
        for (const tell of listeners) tell(notification);
      },
      (err: unknown) => log.error('notifications.fault', { err }),
    );
    return last;
  };
  return {
    isOpen: (happening) => open.has(keyOf(happening)),
    open: () => [...open.values()],
    raise: (happening, told, decisionId) =>
      inTurn(async () => {
        if (open.has(keyOf(happening))) return undefined;
        const { kind, subject } = happening;
        const raised = await store.raiseNotification({
          ...{ id: entropy.uuid(), kind, subject, raisedAt: clock.now() },
          ...{ ...told, decisionId: decisionId ?? null },
        });
        if (raised !== undefined) open.set(keyOf(happening), raised);
        return raised;
      }),
    end: (happening) =>
      inTurn(async () => {
        if (!open.has(keyOf(happening))) return undefined;
        const ended = await store.endNotification(happening, clock.now());
        open.delete(keyOf(happening));
        return ended;
      }),
    follow(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop: () => last,
  };
};
