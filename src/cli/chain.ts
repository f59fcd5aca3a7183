import { InvalidArgumentError } from 'commander';
import type { Address } from '../shared/schema/hex.ts';
import { breakerSeconds } from '../shared/contract/chains.ts';
import type { ProcedureInput } from '../shared/contract/index.ts';
import { typedWei } from '../shared/typed-wei.ts';
import { chainIdArgument, command, group, printFromDesk } from './command.ts';
import type { DeskOptions } from './desk.ts';

interface ChainFlags {
  rpc?: string;
  bundler?: string;
  name?: string;
  symbol?: string;
  treasury?: Address;
  breaker?: Breaker | 'off';
}

type Breaker = NonNullable<ProcedureInput<'chains.set'>['breaker']>;

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Reads `0.5/1h`: an amount of the native coin per time. */
const breakerArgument = (text: string): Breaker | 'off' => {
  if (text === 'off') return text;
  const [, amount = '', count = '', unit = ''] = /^([^/]+)\/(\d{1,6})([smhd])$/.exec(text) ?? [];
  const amountWei = typedWei(amount);
  const seconds = Number.parseInt(count, 10) * (SECONDS[unit] ?? Number.NaN);
  if (amountWei !== undefined && seconds >= breakerSeconds.least && seconds <= breakerSeconds.most) {
    return { amountWei, seconds };
  }
  throw new InvalidArgumentError('It must be an amount per time from 60s to 7d, such as 0.5/1h, or "off".');
};

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
  .option(
    '--breaker <limit>',
    'the most that may be signed for, in the native coin per time, such as 0.5/1h; what exceeds it pauses all sponsorship; "off": no such limit',
    breakerArgument,
  )
  .action((chainId: number, flags: DeskOptions & ChainFlags) => {
    const { rpc, bundler, name, symbol, treasury, breaker, ...options } = flags;
    return printFromDesk(options, (call) =>
      call('chains.set', {
        chainId,
        ...(rpc !== undefined && { rpc }),
        ...(bundler !== undefined && { bundler }),
        ...(name !== undefined && { name }),
        ...(symbol !== undefined && { symbol }),
        ...(treasury !== undefined && { treasury }),
        ...(breaker !== undefined && { breaker: breaker === 'off' ? null : breaker }),
      }),
    );
  });

const list = command('list', 'List the supported chains').action((options: DeskOptions) =>
  printFromDesk(options, (call) => call('chains.list', {})),
);

const remove = command('remove', 'Forget the settings of a chain')
  .argument('<chainId>', 'EIP-155 chain id', chainIdArgument)
  .option('--force', 'also while DApps, paymaster contracts or unsettled operations are there')
  .action((chainId: number, { force = false, ...options }: DeskOptions & { force?: boolean }) =>
    printFromDesk(options, async (call) => {
      await call('chains.remove', { chainId, force });
      return { chainId, removed: true };
    }),
  );

/** `gasdesk chain` */
export const chainCommand = group('chain', 'Chains and how to reach them', [set, list, remove]);
