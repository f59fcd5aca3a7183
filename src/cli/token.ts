import { Option } from 'commander';
import { command, group, listing, printFromDesk } from './command.ts';
import type { DeskOptions } from './desk.ts';
import { timeArgument } from './time-argument.ts';

interface CreateFlags {
  account?: string;
  label?: string;
  scope?: 'read' | 'manage' | 'dapp';
  dapp?: string;
  expires?: number;
}

const create = command('create', 'Create an auth token, which is shown only once')
  .option('--account <id>', 'account it acts for (default: the first)')
  .option('--label <label>', 'label of the token')
  .addOption(
    new Option(
      '--scope <scope>',
      'what it may do: read, read and change all DApps, or one DApp (default: manage)',
    ).choices(['read', 'manage', 'dapp']),
  )
  .option('--dapp <id>', 'paymasterId of the DApp that it is for alone; implies --scope dapp')
  .option('--expires <time>', 'when it expires: ISO 8601 or epoch ms (default: never)', timeArgument)
  .action(({ account, label, scope, dapp, expires, ...options }: DeskOptions & CreateFlags) =>
    printFromDesk(options, (call) =>
      call('authTokens.create', {
        ...(account !== undefined && { accountId: account }),
        ...(label !== undefined && { label }),
        ...(scope !== undefined && { scope }),
        ...(dapp !== undefined && { paymasterId: dapp }),
        ...(expires !== undefined && { expiresAt: expires }),
      }),
    ),
  );

const list = listing('List auth tokens', 'authTokens.list');

const revoke = command('revoke', 'Revoke an auth token')
  .argument('<id>', 'id of the token, as "token list" shows it')
  .action((tokenId: string, options: DeskOptions) =>
    printFromDesk(options, (call) => call('authTokens.revoke', { tokenId })),
  );

/** `gasdesk token` */
export const tokenCommand = group('token', 'Auth tokens of the management interface', [create, list, revoke]);
