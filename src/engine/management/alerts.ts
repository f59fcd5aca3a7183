import { procedures } from '../../api/index.ts';
import { EngineError } from '../../shared/errors.ts';
import { type OperationCaller, operation } from './operation.ts';

const path = '/account/alert';
const owner = { accountId: true } as const;
const ofAccount = { access: 'account', errors: { missingAuthToken: 'AUTH_TOKEN_REQUIRED' } } as const;

/** The account whose alerts are meant. @throws EngineError `AUTH_TOKEN_SCOPE` for a token that is for one DApp */
const ownerOf = ({ accountId, onlyDapp }: OperationCaller<'account'>): { accountId: string } => {
  if (onlyDapp !== null) throw new EngineError('AUTH_TOKEN_SCOPE');
  return { accountId };
};

/** Behaviour 10.4. */
export const alertOperations = [
  operation({
    method: 'post',
    path,
    ...ofAccount,
    summary: 'Send alerts about the DApps of the account by mail, or to a chat',
    message: 'Alert channel created',
    body: procedures['alerts.create'].input.omit(owner),
    data: procedures['alerts.create'].output,
    run: ({ service, body, ...caller }) => service.run('alerts.create', { ...ownerOf(caller), ...body }),
  }),
  operation({
    method: 'get',
    path,
    ...ofAccount,
    summary: 'List where alerts are sent',
    message: 'Alert channel list fetched',
    data: procedures['alerts.list'].output,
    run: ({ service, ...caller }) => service.run('alerts.list', ownerOf(caller)),
  }),
  operation({
    method: 'patch',
    path,
    ...ofAccount,
    summary: 'Change where alerts are sent, pause it, or unpause it',
    message: 'Alert channel updated',
    body: procedures['alerts.update'].input.omit(owner),
    data: procedures['alerts.update'].output,
    statuses: [404],
    run: ({ service, body, ...caller }) => service.run('alerts.update', { ...ownerOf(caller), ...body }),
  }),
  operation({
    method: 'delete',
    path,
    ...ofAccount,
    summary: 'Send no more alerts there',
    message: 'Alert channel deleted',
    body: procedures['alerts.delete'].input.omit(owner),
    statuses: [404],
    async run({ service, body, ...caller }) {
      await service.run('alerts.delete', { ...ownerOf(caller), ...body });
    },
  }),
  operation({
    method: 'post',
    path: `${path}/test`,
    ...ofAccount,
    summary: 'Send a test alert, once',
    message: 'Test alert sent',
    body: procedures['alerts.test'].input.omit(owner),
    data: procedures['alerts.test'].output,
    statuses: [404],
    run: ({ service, body, ...caller }) => service.run('alerts.test', { ...ownerOf(caller), ...body }),
  }),
];
