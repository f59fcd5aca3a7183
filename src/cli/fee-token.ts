import { type Command, Option } from 'commander';
import type { ProcedureInput } from '../api/index.ts';
import { EngineError } from '../shared/errors.ts';
import { feedMaxAge } from '../shared/schema/fee-token.ts';
import type { Address } from '../shared/schema/hex.ts';
import { group, wholeNumber } from './command.ts';
import { calling } from './fields.ts';
import { chain } from './words.ts';

interface Rate {
  readonly rate?: string;
  readonly nativeFeed?: Address;
  readonly tokenFeed?: Address;
  readonly maxAge?: number;
}

const addRate = (to: Command): Command =>
  to
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
    );

const rateOf = ({ rate, nativeFeed, tokenFeed, maxAge }: Rate): ProcedureInput<'feeTokens.set'>['rate'] => {
  if (rate !== undefined) return { source: 'static', tokensPerCoin: rate };
  if (nativeFeed === undefined || tokenFeed === undefined) {
    throw new EngineError('VALIDATION', 'The rate is missing. Use --rate, or both --native-feed and --token-feed.');
  }
  return { source: 'chainlink', nativeFeed, tokenFeed, ...(maxAge !== undefined && { maxAge }) };
};

const address = 'address of the token';

/** `gasdesk fee-token` */
export const feeTokenCommand = group('fee-token', 'Tokens that users can pay for gas in', [
  calling('set', 'Accept a token as payment for gas, or replace its settings', 'feeTokens.set', {
    chainId: chain,
    address,
    symbol: 'symbol of the token',
    decimals: 'decimals of the token',
    premium: '--premium <percent>  percent added to the cost, such as 13 or 2.5',
    rate: { add: addRate, read: rateOf },
    preFund: {
      words:
        'take the maximum before the operation runs, and return the rest (default). The treasury must have approved the paymaster for that, and should hold some tokens for gas estimation',
      no: 'charge after the operation runs; if the account has moved its tokens away by then, you pay',
    },
    logoUrl: '--logo <url>  URL of the logo',
  }),
  calling('list', 'List the tokens that users can pay in', 'feeTokens.list', {
    chainId: { ...chain, words: '--chain <chain>  only tokens of this chain: its name, or its id' },
  }),
  calling(
    'remove',
    'Stop accepting a token',
    'feeTokens.remove',
    { chainId: chain, address },
    (_none, { input: { chainId, address: removed } }) => ({ chainId, address: removed, removed: true }),
  ),
]);
