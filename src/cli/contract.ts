import type { Address } from '../shared/schema/hex.ts';
import { chainIdArgument, command, group, listing, printFromDesk } from './command.ts';
import type { DeskOptions } from './desk.ts';
import { type TransactionSignerFlags, withTransactionSignerFlags } from './operator-key.ts';
import { sendFromDesk } from './sign-and-send.ts';

type TargetOptions = DeskOptions & { chain: number; version: string };

const targeted = (name: string, summary: string) =>
  command(name, summary)
    .requiredOption('--chain <id>', 'EIP-155 chain id', chainIdArgument)
    .requiredOption('--version <version>', 'paymaster version, e.g. 1.1.0');

const byOwner = (name: string, summary: string) =>
  withTransactionSignerFlags(targeted(name, summary), 'the key that owns the contract');

const deploy = withTransactionSignerFlags(
  targeted('deploy', 'Deploy a paymaster contract that accepts the signer of the chain, and attach it'),
  'the key that pays for the deployment and owns the contract',
).action(({ chain: chainId, version, ...options }: TargetOptions & TransactionSignerFlags) =>
  sendFromDesk(options, { kind: 'deploy', chainId, version }),
);

const use = targeted('use', 'Attach a deployed paymaster contract')
  .requiredOption('--address <address>', 'address of the contract')
  .action((options: TargetOptions & { address: Address }) => {
    const { chain: chainId, version, address } = options;
    return printFromDesk(options, (call) => call('paymasterContracts.use', { chainId, version, address }));
  });

const acceptSigner = byOwner(
  'accept-signer',
  "Make a contract accept the chain's next signing key, or the present one if none is prepared",
).action(({ chain: chainId, version, ...options }: TargetOptions & TransactionSignerFlags) =>
  sendFromDesk(options, { kind: 'acceptSigner', chainId, version }),
);

const removeSigner = byOwner('remove-signer', 'Remove a signer from a contract that has several')
  .requiredOption('--signer <address>', 'address of the signer to remove')
  .action(
    ({ chain: chainId, version, signer, ...options }: TargetOptions & TransactionSignerFlags & { signer: Address }) =>
      sendFromDesk(options, { kind: 'removeSigner', chainId, version, signer }),
  );

const list = listing('List the attached paymaster contracts', 'paymasterContracts.list');

/** `gasdesk contract` */
export const contractCommand = group('contract', 'Paymaster contracts', [
  deploy,
  use,
  acceptSigner,
  removeSigner,
  list,
]);
