import { WebhookError } from './error.ts';

interface Webhook {
  active: number;
  readonly waiting: Set<() => void>;
}

/** Limits simultaneous tasks per webhook. Webhooks on the same host do not wait for each other. */
export interface CallSlots {
  /**
   * Runs the task once the webhook has a free slot. `waited` says whether it had to wait.
   *
   * @throws WebhookError `WEBHOOK_BUSY` if too many wait, or no slot became free before the signal
   */
  run<T>(webhook: string, signal: AbortSignal, task: (waited: boolean) => Promise<T>): Promise<T>;
}

/** For each webhook, `atOnce` tasks may run, and `maxWaiting` more may wait. */
export const createCallSlots = (atOnce: number, maxWaiting: number): CallSlots => {
  const webhooks = new Map<string, Webhook>();

  const enter = async (webhook: Webhook, signal: AbortSignal): Promise<{ waited: boolean }> => {
    if (webhook.active < atOnce) {
      webhook.active += 1;
      return { waited: false };
    }
    const { waiting } = webhook;
    const busy = (): WebhookError => new WebhookError('WEBHOOK_BUSY', { atOnce });
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
    return { waited: true };
  };

  /** Passes the slot on to the next task, or frees it. Removes a webhook that has no more tasks. */
  const leave = (name: string, webhook: Webhook): void => {
    const [next] = webhook.waiting;
    if (next) {
      webhook.waiting.delete(next);
      next();
      return;
    }
    webhook.active -= 1;
    if (webhook.active === 0) webhooks.delete(name);
  };

  return {
    async run(name, signal, task) {
      const webhook = webhooks.get(name) ?? { active: 0, waiting: new Set() };
      webhooks.set(name, webhook);
      const { waited } = await enter(webhook, signal);
      try {
        return await task(waited);
      } finally {
        leave(name, webhook);
      }
    },
  };
};
