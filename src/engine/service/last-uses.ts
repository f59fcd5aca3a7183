import { detached } from '../base/caller.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { LAST_USE_STEP_MS } from '../store/registry-store.ts';

export interface LastUses {
  /**
   * Records a use, unless one was recorded within the last minute. The caller neither waits for it nor fails because of
   * it.
   *
   * @param id of an existing credential, because an attacker could fill the memory with invented ones
   */
  note(id: string, write: (at: number) => Promise<void>): void;
}

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
