import type { ProcedureInput } from '../../../../api/index.ts';
import { type FeeToken, feedMaxAge } from '../../../../shared/schema/fee-token.ts';

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

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

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

/** True if the form is complete. The engine validates the values. */
export const isWhole = (form: TokenForm): boolean => {
  const rate =
    form.source === 'static'
      ? form.tokensPerCoin.trim() !== ''
      : ADDRESS.test(form.nativeFeed.trim()) && ADDRESS.test(form.tokenFeed.trim()) && form.maxAge !== null;
  const named = form.chainId !== null && ADDRESS.test(form.address.trim()) && form.symbol.trim() !== '';
  return rate && named && form.decimals !== null && form.premium.trim() !== '';
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
