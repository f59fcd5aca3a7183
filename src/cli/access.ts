import { Option } from 'commander';
import { group } from './command.ts';
import { calling } from './fields.ts';
import { dapp, timeArgument } from './words.ts';

/** `gasdesk account` */
export const accountCommand = group('account', 'Accounts, the owners of DApps', [
  calling('create', 'Create an account', 'accounts.create', { name: 'name of the account' }),
  calling('list', 'List accounts', 'accounts.list', {}),
]);

const SCOPES = ['read', 'manage', 'dapp'] as const;
const NEVER = 'never';
const DEFAULT_LIFE_MS = 90 * 86_400_000;

interface TokenFlags {
  readonly scope?: (typeof SCOPES)[number];
  readonly dapp?: string;
  readonly expires?: number | typeof NEVER;
}

const expiry = (text: string): TokenFlags['expires'] => (text === NEVER ? NEVER : timeArgument(text));

/** `gasdesk token` */
export const tokenCommand = group('token', 'Auth tokens of the management interface', [
  calling('create', 'Create an auth token, which is shown only once', 'authTokens.create', {
    accountId: '--account <account>  account that the token acts for: its name, or its id (default: the first)',
    label: 'label of the token, such as the name of who uses it',
    scope: {
      add: (to) =>
        to.addOption(
          new Option(
            '--scope <scope>',
            'access: read everything, read and manage all DApps, or one DApp only (default: read, or dapp with --dapp)',
          ).choices(SCOPES),
        ),
      read: ({ scope, dapp: only }: TokenFlags) => scope ?? (only === undefined ? 'read' : undefined),
    },
    paymasterId: '--dapp <dapp>  the one DApp that the token may access: its name, or its id; implies --scope dapp',
    expiresAt: {
      add: (to) => to.option('--expires <time>', 'expiry: ISO 8601, epoch ms or "never"; default: in 90 days', expiry),
      read: ({ expires = Date.now() + DEFAULT_LIFE_MS }: TokenFlags) => (expires === NEVER ? undefined : expires),
    },
  }),
  calling('list', 'List auth tokens', 'authTokens.list', { accountId: null }),
  calling('revoke', 'Revoke an auth token', 'authTokens.revoke', {
    tokenId: '<token>  label of the token, or its id, or the beginning of either',
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
    keyId: '<key>  label of the key, or its id, or the beginning of either',
  }),
]);
