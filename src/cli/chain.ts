import { InvalidArgumentError, Option } from 'commander';
import type { Address } from '../shared/schema/hex.ts';
import { breakerSeconds } from '../api/chains.ts';
import type { ProcedureInput } from '../api/index.ts';
import { feedMaxAge } from '../shared/schema/fee-token.ts';
import { EngineError } from '../shared/errors.ts';
import { typedWei } from '../shared/typed-wei.ts';
import { chainIdArgument, command, group, listing, printFromDesk, wholeNumber } from './command.ts';
import type { DeskOptions } from './desk.ts';

interface ChainFlags {
  rpc?: string;
  bundler?: string;
  name?: string;
  symbol?: string;
  treasury?: Address;
  breaker?: Breaker | typeof OFF;
  unreachable?: 'sign' | 'refuse';
  unreachableBudget?: string;
  maxOperationCost?: string;
  usd?: string;
  nativeFeed?: Address;
  maxAge?: number;
}

type Breaker = NonNullable<ProcedureInput<'chains.set'>['breaker']>;

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

const DEFAULT = 'default';
const OFF = 'off';

/** Reads `0.5/1h`: an amount of the native coin per time; or the words for the default and for none. */
const breakerArgument = (text: string): Breaker | typeof OFF => {
  if (text === OFF || text === DEFAULT) return text;
  const [, amount = '', count = '', unit = ''] = /^([^/]+)\/(\d{1,6})([smhd])$/.exec(text) ?? [];
  const amountWei = typedWei(amount);
  const seconds = Number.parseInt(count, 10) * (SECONDS[unit] ?? Number.NaN);
  if (amountWei !== undefined && seconds >= breakerSeconds.least && seconds <= breakerSeconds.most) {
    return { amountWei, seconds };
  }
  throw new InvalidArgumentError('Use an amount per time from 60s to 7d, such as 0.5/1h, "default" or "off".');
};

/** Reads `0.05`: an amount of the native coin, as decimal wei. */
const coinArgument = (text: string, otherwise = ''): string => {
  const wei = typedWei(text);
  if (wei !== undefined) return wei;
  throw new InvalidArgumentError(`Use an amount of the native coin above 0, such as 0.05${otherwise}.`);
};

/** Reads an amount of the native coin, or the word for the chain's own cap. */
const costArgument = (text: string): string => (text === DEFAULT ? DEFAULT : coinArgument(text, `, or "${DEFAULT}"`));

/** What both flags say together; undefined where neither is given. @throws EngineError `VALIDATION` for one without the other */
const unreachableOf = ({
  unreachable,
  unreachableBudget: budgetWei,
}: ChainFlags): ProcedureInput<'chains.set'>['unreachable'] => {
  if (unreachable === 'sign' && budgetWei !== undefined) return { budgetWei };
  if (unreachable !== 'sign' && budgetWei === undefined) return unreachable === undefined ? undefined : null;
  throw new EngineError('VALIDATION', 'Give both --unreachable sign and --unreachable-budget AMOUNT, or neither');
};

/** What the flags say of the coin's price; undefined where none is given. @throws EngineError `VALIDATION` for those that exclude each other */
const priceOf = ({ usd, nativeFeed, maxAge }: ChainFlags): ProcedureInput<'chains.set'>['price'] => {
  if (usd !== undefined && nativeFeed !== undefined) {
    throw new EngineError('VALIDATION', 'Give --usd or --native-feed, not both');
  }
  if (nativeFeed === undefined && maxAge !== undefined) {
    throw new EngineError('VALIDATION', '--max-age applies only to a feed: also give --native-feed');
  }
  if (usd === 'off') return null;
  if (usd !== undefined) return { source: 'static', usd };
  return nativeFeed && { source: 'chainlink', nativeFeed, ...(maxAge !== undefined && { maxAge }) };
};

const set = command('set', 'Add a chain, or change the settings you name')
  .argument('<chainId>', 'EIP-155 chain id', chainIdArgument)
  .option('--rpc <url>', 'JSON-RPC URL of a node')
  .option('--bundler <url>', 'JSON-RPC URL of an ERC-4337 bundler; "off" removes it')
  .option('--name <name>', 'name of the chain')
  .option('--symbol <symbol>', 'symbol of its native coin')
  .option(
    '--treasury <address>',
    "address that receives users' token fees from singleton paymasters (default: the signer's address; choose one whose key you hold)",
  )
  .option(
    '--breaker <limit>',
    'most that Gasdesk may sign for, in the native coin per time, such as 0.5/1h. Beyond it, Gasdesk pauses all sponsorship; on a chain with several DApps, it pauses a DApp alone that exceeds half of it. "default": per hour, a quarter of what the gas tanks of the chain hold, or what 20 usual operations may cost, whichever is more; "off" removes the limit',
    breakerArgument,
  )
  .addOption(
    new Option(
      '--unreachable <what>',
      'while the node is unreachable: "refuse" to sign (default), or "sign" operations that bring their gas, without checking fees and gas tank, within --unreachable-budget',
    ).choices(['sign', 'refuse']),
  )
  .option(
    '--unreachable-budget <amount>',
    'most that Gasdesk may sign for while the node is unreachable: sum of maximum costs in the native coin, such as 0.05. An answer of the node renews it once an hour has passed since the last unchecked signature, so no hour costs more than one budget',
    (text: string) => coinArgument(text),
  )
  .option(
    '--max-operation-cost <amount>',
    'most that one operation may cost, in the native coin, such as 0.05. "default": 20 million gas at the chain\'s price, and never more than the defaultMaxOperationCost that "gasdesk chain list" shows',
    costArgument,
  )
  .option(
    '--usd <amount>',
    'price of the native coin in US dollars, such as 3000, used by limits in dollars; "off" removes it',
  )
  .option('--native-feed <address>', 'Chainlink feed of the native coin in USD, in place of --usd')
  .addOption(
    new Option('--max-age <seconds>', `maximum age of the feed's answer (default: ${feedMaxAge.byDefault})`).argParser(
      wholeNumber(feedMaxAge.least, feedMaxAge.most),
    ),
  )
  .action((chainId: number, flags: DeskOptions & ChainFlags) => {
    const { rpc, bundler, name, symbol, treasury, breaker, maxOperationCost: cost, ...others } = flags;
    const price = priceOf(flags);
    const { unreachable: _, unreachableBudget: __, usd: _usd, nativeFeed: _feed, maxAge: _age, ...options } = others;
    const unreachable = unreachableOf(flags);
    return printFromDesk(options, (call) =>
      call('chains.set', {
        chainId,
        ...(rpc !== undefined && { rpc }),
        ...(bundler !== undefined && { bundler: bundler === OFF ? null : bundler }),
        ...(name !== undefined && { name }),
        ...(symbol !== undefined && { symbol }),
        ...(treasury !== undefined && { treasury }),
        ...(breaker !== undefined && { breaker: breaker === OFF ? null : breaker }),
        ...(unreachable !== undefined && { unreachable }),
        ...(cost !== undefined && { maxOperationCostWei: cost === DEFAULT ? null : cost }),
        ...(price !== undefined && { price }),
      }),
    );
  });

const list = listing('List the supported chains', 'chains.list');

const remove = command('remove', 'Remove the settings of a chain')
  .argument('<chainId>', 'EIP-155 chain id', chainIdArgument)
  .option('--force', 'remove it even if it has DApps, paymaster contracts or unsettled operations')
  .action((chainId: number, { force = false, ...options }: DeskOptions & { force?: boolean }) =>
    printFromDesk(options, async (call) => {
      await call('chains.remove', { chainId, force });
      return { chainId, removed: true };
    }),
  );

/** `gasdesk chain` */
export const chainCommand = group('chain', 'Chains and how to reach them', [set, list, remove]);
