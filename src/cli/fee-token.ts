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
    throw new EngineError('VALIDATION', 'Give --rate, or both --native-feed and --token-feed.');
  }
  return { source: 'chainlink' as const, nativeFeed, tokenFeed, ...(maxAge !== undefined && { maxAge }) };
};

const set = command('set', 'Let users pay in a token, or replace its settings')
  .requiredOption('--chain <id>', 'EIP-155 chain id', chainIdArgument)
  .requiredOption('--address <address>', 'address of the token')
  .requiredOption('--symbol <symbol>', 'its symbol')
  .requiredOption('--decimals <n>', 'its decimals', wholeNumber(0, mostDecimals))
  .requiredOption('--premium <percent>', 'percent on top of the cost, e.g. 13 or 2.5')
  .addOption(
    new Option('--rate <tokens>', 'whole tokens for one native coin, e.g. 3000.5').conflicts([
      'nativeFeed',
      'tokenFeed',
    ]),
  )
  .option('--native-feed <address>', 'Chainlink feed of the native coin in USD')
  .option('--token-feed <address>', 'Chainlink feed of the token in USD')
  .addOption(
    new Option('--max-age <seconds>', `age at which a feed's answer is too old (default: ${feedMaxAge.byDefault})`)
      .argParser(wholeNumber(feedMaxAge.least, feedMaxAge.most))
      .conflicts('rate'),
  )
  .option(
    '--pre-fund',
    'take the maximum before the operation runs; the treasury must have approved the paymaster, to give back the rest, and hold some tokens, for bundlers to estimate with',
  )
  .option('--logo <url>', 'its logo')
  .action((flags: DeskOptions & SetFlags) => {
    const { chain: chainId, address, symbol, decimals, premium, preFund = false, logo: logoUrl = null } = flags;
    const token = { chainId, address, symbol, decimals, premium, rate: rateOf(flags), preFund, logoUrl };
    return printFromDesk(flags, (call) => call('feeTokens.set', token));
  });

const list = command('list', 'List the tokens in which users may pay')
  .option('--chain <id>', 'only those of this chain', chainIdArgument)
  .action(({ chain: chainId, ...options }: DeskOptions & { chain?: number }) =>
    printFromDesk(options, (call) => call('feeTokens.list', chainId === undefined ? {} : { chainId })),
  );

const remove = command('remove', 'Take no more fees in a token')
  .requiredOption('--chain <id>', 'EIP-155 chain id', chainIdArgument)
  .requiredOption('--address <address>', 'address of the token')
  .action(({ chain: chainId, address, ...options }: DeskOptions & { chain: number; address: Address }) =>
    printFromDesk(options, async (call) => {
      await call('feeTokens.remove', { chainId, address });
      return { chainId, address, removed: true };
    }),
  );

/** `gasdesk fee-token` */
export const feeTokenCommand = group('fee-token', 'Tokens in which users may pay for gas', [set, list, remove]);
