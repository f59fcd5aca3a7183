import { command, group, listing, printFromDesk } from './command.ts';
import type { DeskOptions } from './desk.ts';

const create = command('create', 'Create an auth token, which is shown only once')
  .option('--account <id>', 'account it acts for (default: the first)')
  .option('--label <label>', 'label of the token')
  .action(({ account, label, ...options }: DeskOptions & { account?: string; label?: string }) =>
    printFromDesk(options, (call) =>
      call('authTokens.create', {
        ...(account !== undefined && { accountId: account }),
        ...(label !== undefined && { label }),
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
