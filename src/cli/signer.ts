import { chainIdArgument, command, group, listing, printFromDesk } from './command.ts';
import { type DeskOptions, readSecretFile } from './desk.ts';

type SignerOptions = DeskOptions & { chain: number; replace?: boolean };

const REPLACE = 'put it in the place of the key there is, which is lost';

const create = command('create', 'Make the key that signs sponsorships on a chain')
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

const prepareNext = ofChain('prepare-next', 'Make the key that signs next on a chain, while the present one signs on')
  .addHelpText('after', '\nThen "gasdesk contract accept-signer" for its contracts, and "gasdesk signer use-next".')
  .action(({ chain: chainId, ...options }: SignerOptions) =>
    printFromDesk(options, (call) => call('signers.prepareNext', { chainId })),
  );

const useNext = ofChain('use-next', 'Sign with the prepared key, once the contracts of the chain accept it').action(
  ({ chain: chainId, ...options }: SignerOptions) =>
    printFromDesk(options, (call) => call('signers.useNext', { chainId })),
);

const dropNext = ofChain('drop-next', 'Forget the prepared key').action(
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
