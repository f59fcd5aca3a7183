import { command, group, printFromDesk } from './command.ts';
import type { DeskOptions } from './desk.ts';

const create = command('create', 'Create an account')
  .requiredOption('--name <name>', 'name of the account')
  .action((options: DeskOptions & { name: string }) =>
    printFromDesk(options, (call) => call('accounts.create', { name: options.name })),
  );

const list = command('list', 'List accounts').action((options: DeskOptions) =>
  printFromDesk(options, (call) => call('accounts.list', {})),
);

/** `gasdesk account` */
export const accountCommand = group('account', 'Accounts, the owners of DApps', [create, list]);
