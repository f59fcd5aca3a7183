import { group } from './command.ts';
import { calling } from './fields.ts';

const webhookId = '<webhook>  URL of the webhook, or its id, or the beginning of either';
const anyOwner = { accountId: null, paymasterId: null } as const;
const unchanged = { url: null, events: null } as const;

/** `gasdesk event-webhook` */
export const eventWebhookCommand = group('event-webhook', 'Webhooks that receive events', [
  calling('add', 'Add an event webhook, and print its secret, which is shown only once', 'eventWebhooks.create', {
    paymasterId: '--dapp <dapp>  DApp whose events are sent (default: the whole desk)',
    accountId: '--account <account>  account whose DApps’ events are sent',
    url: 'http or https URL that receives the events',
    events: {
      words: '--events <types>  event types, separated by commas (default: all)',
      parse: (text) => text.split(',').map((type) => type.trim()),
    },
  }),
  calling('list', 'List event webhooks', 'eventWebhooks.list', {
    paymasterId: '--dapp <dapp>  only those of this DApp: its name, or its id',
    accountId: '--account <account>  only those of this account: its name, or its id',
  }),
  calling('update', 'Change the URL or the events of an event webhook', 'eventWebhooks.update', {
    ...anyOwner,
    webhookId,
    url: 'http or https URL that receives the events',
    events: {
      words: '--events <types>  event types, separated by commas',
      parse: (text) => text.split(',').map((type) => type.trim()),
    },
    active: null,
  }),
  calling('pause', 'Let events wait until the webhook is unpaused', 'eventWebhooks.update', {
    ...anyOwner,
    ...unchanged,
    webhookId,
    active: { read: () => false },
  }),
  calling('unpause', 'Send the waiting events, and new ones', 'eventWebhooks.update', {
    ...anyOwner,
    ...unchanged,
    webhookId,
    active: { read: () => true },
  }),
  calling(
    'remove',
    'Remove an event webhook',
    'eventWebhooks.delete',
    { ...anyOwner, webhookId },
    (_none, { input }) => ({ webhookId: input.webhookId }),
  ),
  calling(
    'deliveries',
    'List the newest deliveries, each with its last request and answer',
    'eventWebhooks.deliveries',
    { ...anyOwner, webhookId, before: 'only deliveries before this deliveryId', limit: 'maximum number of deliveries' },
  ),
  calling('redeliver', 'Send an event once more, or all that were given up', 'eventWebhooks.redeliver', {
    ...anyOwner,
    webhookId,
    deliveryId: '--delivery <n>  deliveryId of the event (default: all that were given up)',
  }),
]);
