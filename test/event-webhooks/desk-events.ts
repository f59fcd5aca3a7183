import type { ServerResponse } from 'node:http';
import type { EventDeliveryView, EventWebhookView } from '../../src/api/event-webhooks.ts';
import type { OfflineDesk } from '../support/offline-desk.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { gameCall, gameItems, operation } from '../support/operations.ts';
import type { ReceivedCall } from '../support/webhook-receiver.ts';

export interface ReceivedEvent {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export const accept = (_call: ReceivedCall, response: ServerResponse): void => void response.writeHead(204).end();

export const eventOf = ({ body }: ReceivedCall): ReceivedEvent => JSON.parse(body) as ReceivedEvent;

export const typesOf = (calls: readonly ReceivedCall[]): string[] => calls.map((call) => eventOf(call).type);

const ITEMS = `0x${'11'.repeat(20)}` as const;

/** A desk whose events a test receives. */
export const eventsOf = (desk: () => OfflineDesk) => {
  let nonces = 0;
  const list = () => desk().call<EventWebhookView[]>('eventWebhooks.list', {});
  return {
    /** A DApp of which `mint` is sponsored, and anything else is not. */
    async gameDapp(): Promise<SponsoredDapp> {
      const dapp = await desk().dapp();
      const { paymasterId } = dapp;
      const contract = { name: 'Items', address: ITEMS, abi: gameItems.formatJson(), whitelistedMethods: ['mint'] };
      await desk().call('contracts.create', { paymasterId, ...contract });
      return dapp;
    },
    ask(dapp: SponsoredDapp, method: 'mint' | 'burn' = 'mint') {
      nonces += 1;
      return dapp.sponsor(operation({ to: ITEMS, data: gameCall(method) }, { nonce: `0x${nonces.toString(16)}` }));
    },
    add: (input: object) => desk().call<EventWebhookView & { secret: string }>('eventWebhooks.create', input),
    list,
    deliveries: (webhookId: string) =>
      desk().call<EventDeliveryView[]>('eventWebhooks.deliveries', { webhookId, limit: 100 }),
    async removeAll() {
      for (const { webhookId } of await list()) await desk().call('eventWebhooks.delete', { webhookId });
    },
  };
};
