import { chainIdArgument, command, group, printFromDesk } from './command.ts';
import { type DeskOptions, readSecretFile } from './desk.ts';

type SignerOptions = DeskOptions & { chain: number };

const create = command('create', 'Make the key that signs sponsorships on a chain')
  .requiredOption('--chain <id>', 'EIP-155 chain id', chainIdArgument)
  .action((options: SignerOptions) =>
    printFromDesk(options, (call) => call('signers.create', { chainId: options.chain })),
  );

const importKey = command('import', 'Import the key that signs sponsorships on a chain')
  .requiredOption('--chain <id>', 'EIP-155 chain id', chainIdArgument)
  .requiredOption('--private-key-file <file>', 'file with the key, 0x and 64 hex digits')
  .action((options: SignerOptions & { privateKeyFile: string }) => {
    const privateKey = readSecretFile(options.privateKeyFile).reveal();
    return printFromDesk(options, (call) => call('signers.import', { chainId: options.chain, privateKey }));
  });

const list = command('list', 'List the signers').action((options: DeskOptions) =>
  printFromDesk(options, (call) => call('signers.list', {})),
);

/** `gasdesk signer` */
export const signerCommand = group('signer', 'Keys that sign sponsorships, one per chain', [create, importKey, list]);
