import { command, group, printFromDesk } from './command.ts';
import type { DeskOptions } from './desk.ts';

const ofDapp = (name: string, summary: string) =>
  command(name, summary).requiredOption('--dapp <id>', 'paymasterId of the DApp');

const create = ofDapp('create', 'Create another API key for a DApp; the others stay valid')
  .option('--label <label>', 'label of the key')
  .action(({ dapp, label, ...options }: DeskOptions & { dapp: string; label?: string }) =>
    printFromDesk(options, (call) =>
      call('apiKeys.create', { paymasterId: dapp, ...(label !== undefined && { label }) }),
    ),
  );

const list = ofDapp('list', 'List the API keys of a DApp').action(
  ({ dapp, ...options }: DeskOptions & { dapp: string }) =>
    printFromDesk(options, (call) => call('apiKeys.list', { paymasterId: dapp })),
);

const revoke = ofDapp('revoke', 'Revoke an API key. A DApp keeps its last one')
  .argument('<id>', 'id of the key, as "api-key list" shows it')
  .action((keyId: string, { dapp, ...options }: DeskOptions & { dapp: string }) =>
    printFromDesk(options, (call) => call('apiKeys.revoke', { paymasterId: dapp, keyId })),
  );

/** `gasdesk api-key` */
export const apiKeyCommand = group('api-key', 'API keys of DApps', [create, list, revoke]);
