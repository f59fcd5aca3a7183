import { detached } from '../base/caller.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { LAST_USE_STEP_MS } from '../store/registry-store.ts';

/** When credentials were last used, as far as that is written. */
export interface LastUses {
  /**
   * Has a use written unless one was within a minute. Nobody waits for that, and nobody fails by it.
   *
   * @param id of a credential that exists: strangers must not fill the memory with names of their own
   */
  note(id: string, write: (at: number) => Promise<void>): void;
}

/** Notes uses by this clock. */
export const createLastUses = ({ clock, log }: { clock: Clock; log: Log }): LastUses => {
  const written = new Map<string, number>();
  return {
    note(id, write) {
      const at = clock.now();
      if (at - (written.get(id) ?? -Infinity) < LAST_USE_STEP_MS) return;
      written.set(id, at);
      detached(() => write(at)).catch((err: unknown) => log.warn('last-use.not-written', { err }));
    },
  };
};
