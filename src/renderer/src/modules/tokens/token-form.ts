import type { ProcedureInput } from '../../../../api/index.ts';
import { positiveDecimal } from '../../../../shared/schema/decimal.ts';
import { type FeeToken, feedMaxAge, premium } from '../../../../shared/schema/fee-token.ts';
import { isAddress } from '../../ui/typed-address.ts';

/** A fee token as it is typed. Amounts are text, so that no double rounds them. */
export interface TokenForm {
  chainId: number | null;
  address: string;
  symbol: string;
  decimals: number | null;
  premium: string;
  source: FeeToken['rate']['source'];
  tokensPerCoin: string;
  nativeFeed: string;
  tokenFeed: string;
  maxAge: number | null;
  preFund: boolean;
  logoUrl: string | null;
}

export const emptyToken = (): TokenForm => ({
  chainId: null,
  address: '',
  symbol: '',
  decimals: 6,
  premium: '10',
  source: 'static',
  tokensPerCoin: '',
  nativeFeed: '',
  tokenFeed: '',
  maxAge: feedMaxAge.byDefault,
  preFund: true,
  logoUrl: null,
});

export const formOf = ({ rate, ...token }: FeeToken): TokenForm => ({ ...emptyToken(), ...token, ...rate });

/** Why a premium is none; empty while nothing is typed. */
export const premiumError = (typed: string): string => {
  const text = typed.trim();
  return text === '' || premium.safeParse(text).success
    ? ''
    : 'Enter a percentage from 0 to 100, with at most 4 decimals.';
};

/** Why this is no number of tokens for a coin; empty while nothing is typed. */
export const rateError = (typed: string): string => {
  const text = typed.trim();
  return text === '' || positiveDecimal(text) !== undefined ? '' : 'Enter a number above 0.';
};

const isRight = (text: string, error: string): boolean => text.trim() !== '' && error === '';

/** True if the form is complete. The engine validates the values. */
export const isWhole = (form: TokenForm): boolean => {
  const rate =
    form.source === 'static'
      ? isRight(form.tokensPerCoin, rateError(form.tokensPerCoin))
      : isAddress(form.nativeFeed) && isAddress(form.tokenFeed) && form.maxAge !== null;
  const named = form.chainId !== null && isAddress(form.address) && form.symbol.trim() !== '';
  return rate && named && form.decimals !== null && isRight(form.premium, premiumError(form.premium));
};

export const tokenOf = (form: TokenForm): ProcedureInput<'feeTokens.set'> => ({
  chainId: form.chainId ?? 0,
  address: form.address.trim(),
  symbol: form.symbol.trim(),
  decimals: form.decimals ?? 0,
  premium: form.premium.trim(),
  preFund: form.preFund,
  logoUrl: form.logoUrl,
  rate:
    form.source === 'static'
      ? { source: 'static', tokensPerCoin: form.tokensPerCoin.trim() }
      : {
          source: 'chainlink',
          nativeFeed: form.nativeFeed.trim(),
          tokenFeed: form.tokenFeed.trim(),
          maxAge: form.maxAge ?? feedMaxAge.byDefault,
        },
});
