import { z } from 'zod';
import { procedures } from '../../api/index.ts';
import { operation } from './operation.ts';

const path = '/webhook';
const dapp = { paymasterId: true } as const;

/** Behaviour 8.4. */
export const webhookOperations = [
  operation({
    method: 'post',
    path,
    summary: 'Create webhook',
    message: 'Webhook created',
    body: procedures['webhooks.create'].input.omit(dapp),
    data: procedures['webhooks.create'].output.omit({ active: true }),
    async run({ service, dapp: { paymasterId }, body }) {
      const { webhookId, requestType } = await service.run('webhooks.create', { paymasterId, ...body });
      return { webhookId, webhookUrl: body.webhookUrl, requestType };
    },
  }),
  operation({
    method: 'get',
    path,
    summary: 'Get registered webhook',
    message: 'Webhook list fetched',
    errors: { missingAuthToken: 'AUTH_TOKEN_REQUIRED' },
    body: z.strictObject({ webhookUrl: z.string().optional() }),
    data: procedures['webhooks.list'].output,
    query: ['webhookId'],
    run: ({ service, dapp: { paymasterId }, query, mayChange: whole }) =>
      service.call('webhooks.list', { paymasterId, webhookId: query['webhookId'], whole }),
  }),
  operation({
    method: 'patch',
    path,
    summary: 'Update webhook status',
    message: 'Webhook updated',
    errors: { unknownApiKey: 'WEBHOOK_NOT_FOUND' },
    body: procedures['webhooks.update'].input.omit(dapp),
    statuses: [404],
    async run({ service, dapp: { paymasterId }, body }) {
      await service.run('webhooks.update', { paymasterId, ...body });
    },
  }),
  operation({
    method: 'delete',
    path,
    summary: 'Delete webhook',
    message: 'Webhook deleted',
    errors: { unknownApiKey: 'WEBHOOK_NOT_FOUND' },
    body: procedures['webhooks.delete'].input.omit(dapp),
    statuses: [404],
    async run({ service, dapp: { paymasterId }, body }) {
      await service.run('webhooks.delete', { paymasterId, ...body });
    },
  }),
];
