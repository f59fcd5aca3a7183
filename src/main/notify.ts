import { Notification } from 'electron';
import type { NotificationView } from '../api/notifications.ts';
import type { Service } from '../engine/service/index.ts';

/** What notifying needs. */
export interface NotifyOptions {
  readonly service: Service;
  /** Shows a page of the console by its address. */
  readonly go: (path: string) => void;
  /** What lasts since before cannot be read. */
  readonly failed: (error: unknown) => void;
}

/** Tells the operator, through the system, what lasts and is not seen yet, and what happens from now on. */
export const notifyOperator = ({ service, go, failed }: NotifyOptions): void => {
  if (!Notification.isSupported()) return;
  // One that nobody holds may be collected, and its click with it.
  const shown = new Set<Notification>();
  const told = new Set<string>();
  const tell = ({ id, title, body, page, endedAt, seen }: NotificationView): void => {
    if (endedAt !== null || seen || told.has(id)) return;
    told.add(id);
    const notification = new Notification({ title, body });
    shown.add(notification);
    notification.on('click', () => go(page));
    notification.on('close', () => shown.delete(notification));
    notification.show();
  };
  service.followNotifications(tell);
  service
    .call('notifications.list', {})
    .then(({ notifications }) => notifications.toReversed().forEach(tell))
    .catch(failed);
};
