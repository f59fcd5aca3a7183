import { procedures } from '../../api/index.ts';
import { EngineError } from '../../shared/errors.ts';
import { type Operation, type OperationAccess, type OperationCaller, operation } from './operation.ts';

const owner = { accountId: true, paymasterId: true } as const;

/** Event webhooks of a DApp, or those for all DApps of an account, which need no apiKey. */
const operationsOf = (access: OperationAccess, path: string, whose: string): Operation[] => {
  const errors = access === 'account' ? ({ missingAuthToken: 'AUTH_TOKEN_REQUIRED' } as const) : {};
  const needs = { access, errors };
  const ownerOf = ({ accountId, onlyDapp, dapp }: OperationCaller<OperationAccess>) => {
    if (dapp !== undefined) return { paymasterId: dapp.paymasterId };
    if (onlyDapp !== null) throw new EngineError('AUTH_TOKEN_SCOPE');
    return { accountId };
  };
  return [
    operation({
      method: 'post',
      path,
      ...needs,
      summary: `Add an event webhook for ${whose}. Its secret is shown only now`,
      message: 'Event webhook created',
      body: procedures['eventWebhooks.create'].input.omit(owner),
      data: procedures['eventWebhooks.create'].output,
      run: ({ service, body, ...caller }) => service.run('eventWebhooks.create', { ...ownerOf(caller), ...body }),
    }),
    operation({
      method: 'get',
      path,
      ...needs,
      summary: `List the event webhooks for ${whose}`,
      message: 'Event webhook list fetched',
      data: procedures['eventWebhooks.list'].output,
      run: ({ service, ...caller }) => service.run('eventWebhooks.list', ownerOf(caller)),
    }),
    operation({
      method: 'patch',
      path,
      ...needs,
      summary: `Change, pause or unpause an event webhook for ${whose}`,
      message: 'Event webhook updated',
      body: procedures['eventWebhooks.update'].input.omit(owner),
      data: procedures['eventWebhooks.update'].output,
      statuses: [404],
      run: ({ service, body, ...caller }) => service.run('eventWebhooks.update', { ...ownerOf(caller), ...body }),
    }),
    operation({
      method: 'delete',
      path,
      ...needs,
      summary: `Remove an event webhook for ${whose}`,
      message: 'Event webhook deleted',
      body: procedures['eventWebhooks.delete'].input.omit(owner),
      statuses: [404],
      async run({ service, body, ...caller }) {
        await service.run('eventWebhooks.delete', { ...ownerOf(caller), ...body });
      },
    }),
    operation({
      method: 'get',
      path: `${path}/:webhookId/deliveries`,
      ...needs,
      summary: 'List the newest deliveries of an event webhook, each with its last request and answer',
      message: 'Event deliveries fetched',
      data: procedures['eventWebhooks.deliveries'].output,
      query: ['before', 'limit'],
      statuses: [404],
      run: ({ service, path: { webhookId = '' }, query, ...caller }) => {
        const numberOf = (value: unknown) => (value === undefined ? undefined : Number(value));
        const page = { before: numberOf(query['before']), limit: numberOf(query['limit']) };
        return service.call('eventWebhooks.deliveries', { ...ownerOf(caller), webhookId, ...page });
      },
    }),
    operation({
      method: 'post',
      path: `${path}/:webhookId/redeliver`,
      ...needs,
      summary: 'Send an event once more, or all events that were given up',
      message: 'Event deliveries scheduled',
      body: procedures['eventWebhooks.redeliver'].input.omit({ ...owner, webhookId: true }),
      data: procedures['eventWebhooks.redeliver'].output,
      statuses: [404],
      run: ({ service, path: { webhookId = '' }, body, ...caller }) =>
        service.run('eventWebhooks.redeliver', { ...ownerOf(caller), webhookId, ...body }),
    }),
  ];
};

/** Behaviour 10.1. */
export const eventWebhookOperations = [
  ...operationsOf('dapp', '/event-webhook', 'the DApp'),
  ...operationsOf('account', '/account/event-webhook', 'all DApps of the account'),
];
