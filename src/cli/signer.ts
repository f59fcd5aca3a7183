import { chainIdArgument, command, group, listing, printFromDesk } from './command.ts';
import { type DeskOptions, readSecretFile } from './desk.ts';

type SignerOptions = DeskOptions & { chain: number; replace?: boolean };

const REPLACE = 'replace the existing key, which is then lost';

const create = command('create', 'Create the key that signs sponsorships on a chain')
  .requiredOption('--chain <id>', 'EIP-155 chain id', chainIdArgument)
  .option('--replace', REPLACE)
  .action(({ chain: chainId, replace = false, ...options }: SignerOptions) =>
    printFromDesk(options, (call) => call('signers.create', { chainId, replace })),
  );

const importKey = command('import', 'Import the key that signs sponsorships on a chain')
  .requiredOption('--chain <id>', 'EIP-155 chain id', chainIdArgument)
  .requiredOption('--private-key-file <file>', 'file with the key, 0x and 64 hex digits')
  .option('--replace', REPLACE)
  .action(({ chain: chainId, replace = false, ...options }: SignerOptions & { privateKeyFile: string }) => {
    const privateKey = readSecretFile(options.privateKeyFile).reveal();
    return printFromDesk(options, (call) => call('signers.import', { chainId, privateKey, replace }));
  });

const ofChain = (name: string, summary: string) =>
  command(name, summary).requiredOption('--chain <id>', 'EIP-155 chain id', chainIdArgument);

const prepareNext = ofChain('prepare-next', 'Create the next signing key of a chain; the present key keeps signing')
  .addHelpText(
    'after',
    '\nNext, run "gasdesk contract accept-signer" for each contract of the chain, then "gasdesk signer use-next".',
  )
  .action(({ chain: chainId, ...options }: SignerOptions) =>
    printFromDesk(options, (call) => call('signers.prepareNext', { chainId })),
  );

const useNext = ofChain('use-next', 'Switch to the prepared key, once the contracts of the chain accept it').action(
  ({ chain: chainId, ...options }: SignerOptions) =>
    printFromDesk(options, (call) => call('signers.useNext', { chainId })),
);

const dropNext = ofChain('drop-next', 'Delete the prepared key').action(
  ({ chain: chainId, ...options }: SignerOptions) =>
    printFromDesk(options, async (call) => {
      await call('signers.dropNext', { chainId });
      return { chainId, next: null };
    }),
);

const list = listing('List the signers', 'signers.list');

/** `gasdesk signer` */
export const signerCommand = group('signer', 'Keys that sign sponsorships, one per chain', [
  create,
  importKey,
  prepareNext,
  useNext,
  dropNext,
  list,
]);
