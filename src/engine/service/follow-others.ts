import type { Log } from '../base/log.ts';
import type { DecisionFeed } from '../events/decision-feed.ts';
import type { Notifications } from '../notifications/notifications.ts';
import type { Vault } from '../signer/vault.ts';
import type { PauseSwitch } from '../sponsorship/pause-switch.ts';
import type { CommittedPart, Engines } from '../store/database.ts';

interface CachedInMemory {
  readonly feed: Pick<DecisionFeed, 'othersCommitted'>;
  readonly pause: Pick<PauseSwitch, 'refresh'>;
  readonly notifications: Pick<Notifications, 'refresh'>;
  readonly vault: Pick<Vault, 'refresh'>;
}

/** Follows what other engines commit to the same database, starting now. @returns a function that stops this */
export const followOthers = async (
  engines: Pick<Engines, 'onOthers'>,
  { feed, pause, notifications, vault }: CachedInMemory,
  log: Log,
): Promise<() => void> => {
  const takeOver: Readonly<Record<CommittedPart, () => Promise<void>>> = {
    decisions: feed.othersCommitted,
    async settings() {
      await pause.refresh();
      await notifications.refresh();
    },
    async vault() {
      vault.refresh();
    },
  };
  const end = engines.onOthers((part) => {
    takeOver[part]().catch((err: unknown) => log.error('engines.takeOver', { err }));
  });
  // Processes what other engines have committed while this engine started.
  for (const run of Object.values(takeOver)) await run();
  return end;
};
