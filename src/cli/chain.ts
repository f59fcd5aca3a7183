import type { Address } from '../shared/schema/hex.ts';
import { chainIdArgument, command, group, printFromDesk } from './command.ts';
import type { DeskOptions } from './desk.ts';

interface ChainFlags {
  rpc?: string;
  bundler?: string;
  name?: string;
  symbol?: string;
  treasury?: Address;
}

const set = command('set', 'Add a chain or change its settings; what is not given stays')
  .argument('<chainId>', 'EIP-155 chain id', chainIdArgument)
  .option('--rpc <url>', 'JSON-RPC URL of a node')
  .option('--bundler <url>', 'JSON-RPC URL of an ERC-4337 bundler')
  .option('--name <name>', 'name of the chain')
  .option('--symbol <symbol>', 'symbol of its native coin')
  .option(
    '--treasury <address>',
    "where singleton paymasters send users' token fees (default: the signer's address; better one whose key you hold)",
  )
  .action((chainId: number, flags: DeskOptions & ChainFlags) => {
    const { rpc, bundler, name, symbol, treasury, ...options } = flags;
    return printFromDesk(options, (call) =>
      call('chains.set', {
        chainId,
        ...(rpc !== undefined && { rpc }),
        ...(bundler !== undefined && { bundler }),
        ...(name !== undefined && { name }),
        ...(symbol !== undefined && { symbol }),
        ...(treasury !== undefined && { treasury }),
      }),
    );
  });

const list = command('list', 'List the supported chains').action((options: DeskOptions) =>
  printFromDesk(options, (call) => call('chains.list', {})),
);

const remove = command('remove', 'Forget the settings of a chain')
  .argument('<chainId>', 'EIP-155 chain id', chainIdArgument)
  .action((chainId: number, options: DeskOptions) =>
    printFromDesk(options, async (call) => {
      await call('chains.remove', { chainId });
      return { chainId, removed: true };
    }),
  );

/** `gasdesk chain` */
export const chainCommand = group('chain', 'Chains and how to reach them', [set, list, remove]);
