import { Notification } from 'electron';
import type { NotificationView } from '../api/notifications.ts';
import type { Service } from '../engine/service/index.ts';

export interface NotifyOptions {
  readonly service: Service;
  /** Shows a page of the console by its address. */
  readonly go: (path: string) => void;
  /** Called if earlier notifications cannot be read. */
  readonly failed: (error: unknown) => void;
}

/** Shows notifications of the system: for conditions that last and are not seen yet, and for new ones. */
export const notifyOperator = ({ service, go, failed }: NotifyOptions): void => {
  if (!Notification.isSupported()) return;
  // A notification without a reference may be collected, and its click handler with it.
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
