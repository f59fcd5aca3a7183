import { Notification } from 'electron';
import type { NotificationView } from '../api/notifications.ts';
import type { Service } from '../engine/service/index.ts';

export interface NotifyOptions {
  readonly service: Service;
  /** Shows a page of the console, given its path. */
  readonly go: (path: string) => void;
  /** Called if earlier notifications cannot be read. */
  readonly failed: (error: unknown) => void;
}

/** Shows notifications of the operating system: for unseen conditions that still last, and for new ones. */
export const notifyOperator = ({ service, go, failed }: NotifyOptions): void => {
  if (!Notification.isSupported()) return;
  // The reference keeps a notification, and thus its click handler, from being garbage-collected.
  const shown = new Set<Notification>();
  const notified = new Set<string>();
  const notify = ({ id, title, body, page, endedAt, seen }: NotificationView): void => {
    if (endedAt !== null || seen || notified.has(id)) return;
    notified.add(id);
    const notification = new Notification({ title, body });
    shown.add(notification);
    notification.on('click', () => go(page));
    notification.on('close', () => shown.delete(notification));
    notification.show();
  };
  service.followNotifications(notify);
  service
    .call('notifications.list', {})
    .then(({ notifications }) => notifications.toReversed().forEach(notify))
    .catch(failed);
};
