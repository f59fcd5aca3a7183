import { WebhookFault } from './fault.ts';

interface Host {
  active: number;
  /** Starts of the tasks that wait, first come first. */
  readonly waiting: Set<() => void>;
}

/** Bounds how many tasks run at once for one host; hosts do not wait for each other. */
export interface HostSlots {
  /**
   * Runs the task once the host has a free slot.
   *
   * @throws WebhookFault `WEBHOOK_BUSY` if too many wait, or none became free before the signal
   */
  run<T>(host: string, signal: AbortSignal, task: () => Promise<T>): Promise<T>;
}

/** Slots for `atOnce` tasks per host, and room for `maxWaiting` more that wait. */
export const createHostSlots = (atOnce: number, maxWaiting: number): HostSlots => {
  const hosts = new Map<string, Host>();

  const enter = async (host: Host, signal: AbortSignal): Promise<void> => {
    if (host.active < atOnce) {
      host.active += 1;
      return;
    }
    const { waiting } = host;
    const busy = (): WebhookFault => new WebhookFault('WEBHOOK_BUSY', { atOnce });
    if (waiting.size >= maxWaiting) throw busy();
    await new Promise<void>((resolve, reject) => {
      const giveUp = (): void => {
        reject(busy());
        waiting.delete(start);
      };
      const start = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      waiting.add(start);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  };

  /** Hands the slot on, or frees it; a host without tasks is forgotten. */
  const leave = (name: string, host: Host): void => {
    const [next] = host.waiting;
    if (next) {
      host.waiting.delete(next);
      next();
      return;
    }
    host.active -= 1;
    if (host.active === 0) hosts.delete(name);
  };

  return {
    async run(name, signal, task) {
      const host = hosts.get(name) ?? { active: 0, waiting: new Set() };
      hosts.set(name, host);
      await enter(host, signal);
      try {
        return await task();
      } finally {
        leave(name, host);
      }
    },
  };
};
