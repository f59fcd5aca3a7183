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
  /** Begins it, unless it lasts already or another engine tells. Never rejects: what cannot be stored is logged. */
  raise(happening: Happening, told: Told, decisionId?: string): Promise<void>;
  /** Ends it, if it lasts and no other engine tells. Never rejects. */
  end(happening: Happening): Promise<void>;
  /** Calls the listener with what begins and what ends, once it is stored. @returns ends that */
  follow(listener: (notification: StoredNotification) => void): () => void;
  /** Takes over what another engine has told. Never rejects. */
  refresh(): Promise<void>;
  /** Waits for what is being stored. */
  stop(): Promise<void>;
}

/** What notifications stand on. */
export interface NotificationsOptions {
  readonly store: Pick<
    NotificationStore,
    'raiseNotification' | 'endNotification' | 'openNotifications' | 'listNotifications'
  >;
  /** True while this engine is the one that tells. */
  readonly isLeader: () => boolean;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log: Log;
}

/** As many as the store keeps of those that are over. */
const MOST_KEPT = 500;

const keyOf = ({ kind, subject }: Happening): string => `${kind} ${subject}`;

/** Notifications in the store; which of them last is known without asking it. */
export const createNotifications = async (options: NotificationsOptions): Promise<Notifications> => {
  const { store, isLeader, clock, entropy, log } = options;
  const open = new Map((await store.openNotifications()).map((one) => [keyOf(one), one]));
  const listeners = new Set<(notification: StoredNotification) => void>();
  let last = Promise.resolve();
  /** One after the other: what begins and ends at the same time is told in its order. */
  const inTurn = (act: () => Promise<readonly StoredNotification[]>): Promise<void> => {
    last = last.then(act).then(
      (told) => {
        for (const notification of told) for (const tell of listeners) tell(notification);
      },
      (err: unknown) => log.error('notifications.fault', { err }),
    );
    return last;
  };
  /** What others have told that is not known here yet. */
  const readOthers = async (): Promise<readonly StoredNotification[]> => {
    const now = new Map((await store.openNotifications()).map((one) => [one.seq, one]));
    const known = new Set([...open.values()].map(({ seq }) => seq));
    const begun = [...now.values()].filter(({ seq }) => !known.has(seq));
    const isOver = [...known].some((seq) => !now.has(seq));
    const newest = isOver ? await store.listNotifications(MOST_KEPT) : [];
    const ended = newest.filter(({ seq, endedAt }) => known.has(seq) && endedAt !== null);
    open.clear();
    for (const one of now.values()) open.set(keyOf(one), one);
    return [...ended, ...begun];
  };
  return {
    isOpen: (happening) => open.has(keyOf(happening)),
    open: () => [...open.values()],
    raise: (happening, told, decisionId) =>
      inTurn(async () => {
        if (!isLeader() || open.has(keyOf(happening))) return [];
        const { kind, subject } = happening;
        const raised = await store.raiseNotification({
          ...{ id: entropy.uuid(), kind, subject, raisedAt: clock.now() },
          ...{ ...told, decisionId: decisionId ?? null },
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
