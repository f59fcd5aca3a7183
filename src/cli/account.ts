import { command, group, listing, printFromDesk } from './command.ts';
import type { DeskOptions } from './desk.ts';

const create = command('create', 'Create an account')
  .requiredOption('--name <name>', 'name of the account')
  .action((options: DeskOptions & { name: string }) =>
    printFromDesk(options, (call) => call('accounts.create', { name: options.name })),
  );

const list = listing('List accounts', 'accounts.list');

/** `gasdesk account` */
export const accountCommand = group('account', 'Accounts, the owners of DApps', [create, list]);
