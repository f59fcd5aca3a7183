import { Option } from 'commander';
import { EngineError } from '../shared/errors.ts';
import { feedMaxAge, mostDecimals } from '../shared/schema/fee-token.ts';
import type { Address } from '../shared/schema/hex.ts';
import { chainIdArgument, command, group, printFromDesk, wholeNumber } from './command.ts';
import type { DeskOptions } from './desk.ts';

interface SetFlags {
  chain: number;
  address: Address;
  symbol: string;
  decimals: number;
  premium: string;
  rate?: string;
  nativeFeed?: Address;
  tokenFeed?: Address;
  maxAge?: number;
  preFund?: boolean;
  logo?: string;
}

const rateOf = ({ rate, nativeFeed, tokenFeed, maxAge }: SetFlags) => {
  if (rate !== undefined) return { source: 'static' as const, tokensPerCoin: rate };
  if (nativeFeed === undefined || tokenFeed === undefined) {
    throw new EngineError('VALIDATION', 'The rate is missing. Use --rate, or both --native-feed and --token-feed.');
  }
  return { source: 'chainlink' as const, nativeFeed, tokenFeed, ...(maxAge !== undefined && { maxAge }) };
};

const set = command('set', 'Accept a token as payment for gas, or replace its settings')
  .requiredOption('--chain <id>', 'EIP-155 chain id', chainIdArgument)
  .requiredOption('--address <address>', 'address of the token')
  .requiredOption('--symbol <symbol>', 'symbol of the token')
  .requiredOption('--decimals <n>', 'decimals of the token', wholeNumber(0, mostDecimals))
  .requiredOption('--premium <percent>', 'percent added to the cost, such as 13 or 2.5')
  .addOption(
    new Option('--rate <tokens>', 'whole tokens for one native coin, such as 3000.5').conflicts([
      'nativeFeed',
      'tokenFeed',
    ]),
  )
  .option('--native-feed <address>', 'Chainlink feed of the native coin in USD')
  .option('--token-feed <address>', 'Chainlink feed of the token in USD')
  .addOption(
    new Option('--max-age <seconds>', `maximum age of a feed's answer (default: ${feedMaxAge.byDefault})`)
      .argParser(wholeNumber(feedMaxAge.least, feedMaxAge.most))
      .conflicts('rate'),
  )
  .option(
    '--pre-fund',
    'take the maximum before the operation runs, and return the rest (default). The treasury must have approved the paymaster for that, and should hold some tokens for gas estimation',
  )
  .option('--no-pre-fund', 'charge after the operation runs; if the account has moved its tokens away by then, you pay')
  .option('--logo <url>', 'URL of the logo')
  .action((flags: DeskOptions & SetFlags) => {
    const { chain: chainId, address, symbol, decimals, premium, preFund = true, logo: logoUrl = null } = flags;
    const token = { chainId, address, symbol, decimals, premium, rate: rateOf(flags), preFund, logoUrl };
    return printFromDesk(flags, (call) => call('feeTokens.set', token));
  });

const list = command('list', 'List the tokens that users can pay in')
  .option('--chain <id>', 'only tokens of this chain', chainIdArgument)
  .action(({ chain: chainId, ...options }: DeskOptions & { chain?: number }) =>
    printFromDesk(options, (call) => call('feeTokens.list', chainId === undefined ? {} : { chainId })),
  );

const remove = command('remove', 'Stop accepting a token')
  .requiredOption('--chain <id>', 'EIP-155 chain id', chainIdArgument)
  .requiredOption('--address <address>', 'address of the token')
  .action(({ chain: chainId, address, ...options }: DeskOptions & { chain: number; address: Address }) =>
    printFromDesk(options, async (call) => {
      await call('feeTokens.remove', { chainId, address });
      return { chainId, address, removed: true };
    }),
  );

/** `gasdesk fee-token` */
export const feeTokenCommand = group('fee-token', 'Tokens that users can pay for gas in', [set, list, remove]);
