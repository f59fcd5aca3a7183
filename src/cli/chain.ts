import { type Command, InvalidArgumentError, Option } from 'commander';
import { breakerSeconds } from '../api/chains.ts';
import type { ProcedureInput } from '../api/index.ts';
import { feedMaxAge } from '../shared/schema/fee-token.ts';
import type { Address } from '../shared/schema/hex.ts';
import { gasScheduleName } from '../shared/schema/gas-schedule.ts';
import { EngineError } from '../shared/errors.ts';
import { typedWei } from '../shared/typed-wei.ts';
import { group, printFromDesk, wholeNumber } from './command.ts';
import { calling, taking } from './fields.ts';
import { printNote } from './terminal.ts';
import { chainArgument, chainIdArgument, coinArgument } from './words.ts';

type Input = ProcedureInput<'chains.set'>;

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

const DEFAULT = 'default';

/** Reads an amount of the native coin per period, such as `0.5/1h`, or the word for the default. */
const breakerArgument = (text: string): Input['breaker'] => {
  if (text === DEFAULT) return text;
  const [, amount = '', count = '', unit = ''] = /^([^/]+)\/(\d{1,6})([smhd])$/.exec(text) ?? [];
  const amountWei = typedWei(amount);
  const seconds = Number.parseInt(count, 10) * (SECONDS[unit] ?? Number.NaN);
  if (amountWei !== undefined && seconds >= breakerSeconds.least && seconds <= breakerSeconds.most) {
    return { amountWei, seconds };
  }
  throw new InvalidArgumentError('Use an amount per time from 60s to 7d, such as 0.5/1h, "default" or "off".');
};

const forwardArgument = (text: string): Input['forwardBundler'] => {
  if (text === 'own' || text === 'all') return text;
  throw new InvalidArgumentError('Use "own", "all" or "off".');
};

interface Unreachable {
  readonly unreachable?: 'sign' | 'refuse';
  readonly unreachableBudget?: string;
}

const addUnreachable = (to: Command): Command =>
  to
    .addOption(
      new Option(
        '--unreachable <what>',
        'while the node is unreachable: "refuse" to sign (default), or "sign" operations that include their gas limits, without checking fees and gas tank, within --unreachable-budget',
      ).choices(['sign', 'refuse']),
    )
    .option(
      '--unreachable-budget <amount>',
      'most that Gasdesk may sign for while the node is unreachable: sum of maximum costs in the native coin, such as 0.05. The budget is available again when the node answers and an hour has passed since the last unchecked signature, so no hour costs more than one budget',
      coinArgument(' above 0, such as 0.05'),
    );

/** The setting that results from both options. @throws EngineError `VALIDATION` if one of them is missing */
const unreachableOf = ({ unreachable, unreachableBudget: budgetWei }: Unreachable): Input['unreachable'] => {
  if (unreachable === 'sign' && budgetWei !== undefined) return { budgetWei };
  if (unreachable !== 'sign' && budgetWei === undefined) return unreachable === undefined ? undefined : null;
  throw new EngineError(
    'VALIDATION',
    'Use --unreachable sign together with --unreachable-budget AMOUNT, or neither of them',
  );
};

interface Price {
  readonly usd?: string;
  readonly nativeFeed?: Address;
  readonly maxAge?: number;
}

const addPrice = (to: Command): Command =>
  to
    .option(
      '--usd <amount>',
      'price of the native coin in US dollars, such as 3000, used by limits in dollars; "off" removes it',
    )
    .option('--native-feed <address>', 'Chainlink feed of the native coin in USD, in place of --usd')
    .option(
      '--max-age <seconds>',
      `maximum age of the feed's answer (default: ${feedMaxAge.byDefault})`,
      wholeNumber(feedMaxAge.least, feedMaxAge.most),
    );

/**
 * The setting that results from the options for the coin's price. @throws EngineError `VALIDATION` if the options
 * contradict each other
 */
const priceOf = ({ usd, nativeFeed, maxAge }: Price): Input['price'] => {
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

const isSilent = (what: 'node' | 'bundler'): string =>
  `The settings are stored, but no ${what} answers at this URL with its chain id. Start the ${what} or correct the URL, then run: gasdesk doctor`;

const chainId = { words: '<chainId>  EIP-155 chain id', parse: chainIdArgument };

/** `gasdesk chain` */
export const chainCommand = group('chain', 'Chains and how to reach them', [
  taking(
    'set',
    'Add a chain, or change the settings you name',
    'chains.set',
    {
      chainId,
      rpc: '--rpc <url>  JSON-RPC URL of a node',
      bundler: { words: '--bundler <url>  JSON-RPC URL of an ERC-4337 bundler; "off" removes it', none: 'off' },
      name: 'name of the chain',
      symbol: 'symbol of its native coin',
      treasury:
        "--treasury <address>  address that receives users' token fees from singleton paymasters (default: the signer's address; choose one whose key you hold)",
      breaker: {
        words:
          '--breaker <limit>  most that Gasdesk may sign for, in the native coin per period, such as 0.5/1h. Beyond it, Gasdesk pauses every DApp on the chain; if the chain has several DApps, it pauses only the DApp that exceeds half of it. "default": per hour, a quarter of the balance of the gas tanks on the chain, or the cost of 20 usual operations, whichever is more; "off" removes the limit',
        parse: breakerArgument,
        none: 'off',
      },
      unreachable: { add: addUnreachable, read: unreachableOf },
      maxOperationCostWei: {
        words:
          '--max-operation-cost <amount>  most that one operation may cost, in the native coin, such as 0.05. "default": the largest usual operation at the chain\'s price (20 million gas before Amsterdam), and never more than the "default max operation cost" of "gasdesk chain list"',
        parse: coinArgument(` above 0, such as 0.05, or "${DEFAULT}"`),
        none: DEFAULT,
      },
      price: { add: addPrice, read: priceOf },
      forwardBundler: {
        words:
          '--forward-bundler <which>  pass bundler methods that DApps send to the desk on to the bundler of the chain, for clients that have one URL for both: "own" sends only operations that the desk has signed for the DApp, "all" sends any; "off" passes nothing on (default)',
        parse: forwardArgument,
        none: 'off',
      },
      gasSchedule: {
        words: `--gas-schedule <name>  gas prices of the chain: ${gasScheduleName.options.join(', ')}; "node": those that the node reports (default)`,
        none: 'node',
      },
      mustAnswer: null,
    },
    (input, options) =>
      printFromDesk(options, async (call) => {
        const isKnown = (await call('chains.list', {})).some(({ chainId: known }) => known === input.chainId);
        if (Object.keys(input).length === 1 && isKnown) {
          const fix = 'Use an option, such as --rpc URL. To see the settings, run: gasdesk chain list';
          throw new EngineError('VALIDATION', `Nothing to set. ${fix}`);
        }
        const set = await call('chains.set', input);
        if (options.json === true) return set;
        const { nodeAnswers, bundlerAnswers, ...settings } = set;
        if (nodeAnswers === false) printNote(`gasdesk: ${isSilent('node')}`);
        if (bundlerAnswers === false) printNote(`gasdesk: ${isSilent('bundler')}`);
        return settings;
      }),
  ),
  calling('list', 'List the supported chains', 'chains.list', {}),
  calling(
    'remove',
    'Remove the settings of a chain',
    'chains.remove',
    {
      chainId: { words: '<chain>  name of the chain, or its EIP-155 chain id', parse: chainArgument },
      force: 'remove it even if it has DApps, paymaster contracts or unsettled operations',
    },
    (_none, { input: { chainId: removed } }) => ({ chainId: removed, removed: true }),
  ),
]);
