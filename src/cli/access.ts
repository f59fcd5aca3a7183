import { group } from './command.ts';
import { calling } from './fields.ts';
import { dapp, timeArgument } from './words.ts';

/** `gasdesk account` */
export const accountCommand = group('account', 'Accounts, the owners of DApps', [
  calling('create', 'Create an account', 'accounts.create', { name: 'name of the account' }),
  calling('list', 'List accounts', 'accounts.list', {}),
]);

/** `gasdesk token` */
export const tokenCommand = group('token', 'Auth tokens of the management interface', [
  calling('create', 'Create an auth token, which is shown only once', 'authTokens.create', {
    accountId: '--account <id>  account that the token acts for (default: the first)',
    label: 'label of the token',
    scope: 'access: read everything, read and manage all DApps, or one DApp only (default: manage)',
    paymasterId: '--dapp <id>  paymasterId of the one DApp that the token may access; implies --scope dapp',
    expiresAt: { words: '--expires <time>  expiry: ISO 8601 or epoch ms (default: never)', parse: timeArgument },
  }),
  calling('list', 'List auth tokens', 'authTokens.list', { accountId: null }),
  calling('revoke', 'Revoke an auth token', 'authTokens.revoke', {
    tokenId: '<id>  id of the token, as "token list" shows it',
  }),
]);

/** `gasdesk api-key` */
export const apiKeyCommand = group('api-key', 'API keys of DApps', [
  calling('create', 'Create another API key for a DApp; the others stay valid', 'apiKeys.create', {
    paymasterId: dapp,
    label: 'label of the key',
  }),
  calling('list', 'List the API keys of a DApp', 'apiKeys.list', { paymasterId: dapp }),
  calling('revoke', 'Revoke an API key of a DApp, unless it is the only one', 'apiKeys.revoke', {
    paymasterId: dapp,
    keyId: '<id>  id of the key, as "api-key list" shows it',
  }),
]);
