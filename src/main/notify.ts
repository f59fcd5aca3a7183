import { Notification } from 'electron';
import type { Clock } from '../engine/base/clock.ts';
import type { Service } from '../engine/service/index.ts';
import { type TankFacts, createNotices } from './notices.ts';

/** What notifying needs. */
export interface NotifyOptions {
  readonly service: Service;
  readonly clock: Clock;
  /** Shows a page of the console by its address. */
  readonly go: (path: string) => void;
  /** The decisions cannot be followed. */
  readonly failed: (error: unknown) => void;
}

/** Tanks are read so often at most: nodes count requests. */
const TANKS_KEPT_MS = 60_000;

/** Tells the operator, through the system, what of the decisions from now on they should hear of. */
export const notifyOperator = ({ service, clock, go, failed }: NotifyOptions): void => {
  if (!Notification.isSupported()) return;
  const noticesOf = createNotices(clock);
  // One that nobody holds may be collected, and its click with it.
  const shown = new Set<Notification>();
  let tanks = new Map<string, TankFacts>();
  let keptUntil = -Infinity;
  const tankOf = async (paymasterId: string): Promise<TankFacts | undefined> => {
    if (clock.monotonic() >= keptUntil) {
      keptUntil = clock.monotonic() + TANKS_KEPT_MS;
      const { dapps } = await service.call('exposure.get', {});
      tanks = new Map(dapps.map((dapp) => [dapp.paymasterId, dapp.tank]));
    }
    return tanks.get(paymasterId);
  };
  const { ended } = service.follow(undefined, async ({ rows }) => {
    for (const row of rows.filter(({ isNew }) => isNew)) {
      for (const { title, body, path } of noticesOf(row, await tankOf(row.paymasterId))) {
        const notification = new Notification({ title, body });
        shown.add(notification);
        notification.on('click', () => go(path));
        notification.on('close', () => shown.delete(notification));
        notification.show();
      }
    }
  });
  ended.catch(failed);
};
