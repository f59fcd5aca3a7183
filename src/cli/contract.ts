import type { Address } from '../shared/schema/hex.ts';
import { chainIdArgument, command, group, printFromDesk } from './command.ts';
import { type DeskOptions, readSecretFile } from './desk.ts';
import { signAndSend } from './sign-and-send.ts';

type TargetOptions = DeskOptions & { chain: number; version: string };

const targeted = (name: string, summary: string) =>
  command(name, summary)
    .requiredOption('--chain <id>', 'EIP-155 chain id', chainIdArgument)
    .requiredOption('--version <version>', 'paymaster version, e.g. 1.1.0');

const deploy = targeted('deploy', 'Deploy a paymaster contract wired to the signer of the chain, and attach it')
  .requiredOption('--from-key-file <file>', 'file with the key that pays and will own the contract')
  .action((options: TargetOptions & { fromKeyFile: string }) => {
    const privateKey = readSecretFile(options.fromKeyFile).reveal();
    const { chain: chainId, version } = options;
    return printFromDesk(options, (call) => call('paymasterContracts.deploy', { chainId, version, privateKey }));
  });

const use = targeted('use', 'Attach a paymaster contract that is deployed already')
  .requiredOption('--address <address>', 'address of the contract')
  .action((options: TargetOptions & { address: Address }) => {
    const { chain: chainId, version, address } = options;
    return printFromDesk(options, (call) => call('paymasterContracts.use', { chainId, version, address }));
  });

const acceptSigner = targeted(
  'accept-signer',
  "Let a contract accept the chain's next signing key, else the present one",
)
  .requiredOption('--from-key-file <file>', 'file with the key that owns the contract')
  .action(({ chain: chainId, version, fromKeyFile, ...options }: TargetOptions & { fromKeyFile: string }) =>
    printFromDesk(options, (call) => signAndSend(call, { kind: 'acceptSigner', chainId, version }, fromKeyFile)),
  );

const removeSigner = targeted('remove-signer', 'Let a contract with several signers no longer accept one of them')
  .requiredOption('--signer <address>', 'address of the key that is no longer used')
  .requiredOption('--from-key-file <file>', 'file with the key that owns the contract')
  .action((options: TargetOptions & { signer: Address; fromKeyFile: string }) => {
    const { chain: chainId, version, signer, fromKeyFile } = options;
    const action = { kind: 'removeSigner', chainId, version, signer } as const;
    return printFromDesk(options, (call) => signAndSend(call, action, fromKeyFile));
  });

const list = command('list', 'List the attached paymaster contracts').action((options: DeskOptions) =>
  printFromDesk(options, (call) => call('paymasterContracts.list', {})),
);

/** `gasdesk contract` */
export const contractCommand = group('contract', 'Paymaster contracts', [
  deploy,
  use,
  acceptSigner,
  removeSigner,
  list,
]);
