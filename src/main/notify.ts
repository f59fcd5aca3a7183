import { Notification } from 'electron';
import type { Clock } from '../engine/clock.ts';
import type { Service } from '../engine/service/index.ts';
import { createNotices } from './notices.ts';

/** What notifying needs. */
export interface NotifyOptions {
  readonly service: Service;
  readonly clock: Clock;
  /** Shows a page of the console by its address. */
  readonly go: (path: string) => void;
  /** The decisions cannot be followed. */
  readonly failed: (error: unknown) => void;
}

/** Tells the operator, through the system, what of the decisions from now on he should hear of. */
export const notifyOperator = async ({ service, clock, go, failed }: NotifyOptions): Promise<void> => {
  if (!Notification.isSupported()) return;
  const noticesOf = createNotices(clock);
  // One that nobody holds may be collected, and its click with it.
  const shown = new Set<Notification>();
  const { upTo } = await service.call('decisions.next', {});
  const { ended } = service.subscribe(upTo, (decision) => {
    for (const { title, body, path } of noticesOf(decision)) {
      const notification = new Notification({ title, body });
      shown.add(notification);
      notification.on('click', () => go(path));
      notification.on('close', () => shown.delete(notification));
      notification.show();
    }
  });
  ended.catch(failed);
};
