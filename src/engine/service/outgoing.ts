import { type AlertSender, type AlertSenderOptions, createAlertSender } from '../alerts/alert-sender.ts';
import { type MailOptions, createSendMail } from '../alerts/send-mail.ts';
import { EVENT_TIMEOUT_MS, type EventSender, createEventSender } from '../event-webhooks/event-sender.ts';
import type { EventSenderOptions } from '../event-webhooks/event-sender.ts';
import { type Deliverer, type DelivererOptions, createDeliverer } from '../webhooks/deliver.ts';

/** What leaves the desk on its own, not started yet. */
export interface Outgoing {
  readonly events: EventSender;
  readonly alerts: AlertSender;
}

type Options = Omit<EventSenderOptions & AlertSenderOptions, 'webhooks' | 'sendMail'>;

/** The senders of events and of alerts, each with its own connections. They call only addresses that webhooks may have. */
export const createOutgoing = (options: Options, guard: MailOptions & Pick<DelivererOptions, 'network'>): Outgoing => {
  const deliverer = (): Deliverer =>
    createDeliverer({ ...guard, clock: options.clock, timeoutMs: () => EVENT_TIMEOUT_MS, maxConcurrent: 1 });
  return {
    events: createEventSender({ ...options, webhooks: deliverer() }),
    alerts: createAlertSender({ ...options, webhooks: deliverer(), sendMail: createSendMail(guard) }),
  };
};
