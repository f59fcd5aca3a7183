import { EngineError } from '../../shared/errors.ts';
import type { FeeToken } from '../../shared/schema/fee-token.ts';
import { type Address, addressKey, sameAddress } from '../../shared/schema/hex.ts';
import type { SponsorshipOptions } from '../../shared/schema/sponsorship.ts';
import type { Dapp } from '../store/registry-store.ts';

type TokenInfo = SponsorshipOptions['tokenInfo'];

/**
 * The token in which the user wants to pay. It must be one of the chain's fee tokens. Without token mode, no token is
 * accepted.
 *
 * @throws EngineError `FEE_TOKEN_REQUIRED` if none is named, `TOKEN_NOT_SUPPORTED` with `data.supported`
 */
export const requireFeeToken = (
  supported: readonly FeeToken[],
  tokenInfo: TokenInfo,
  { tokenMode }: Pick<Dapp, 'tokenMode'>,
): FeeToken => {
  const wanted = tokenInfo.feeTokenAddress ?? undefined;
  if (wanted === undefined) throw new EngineError('FEE_TOKEN_REQUIRED');
  const token = supported.find(({ address }) => sameAddress(address, wanted));
  if (token !== undefined) return token;
  throw new EngineError('TOKEN_NOT_SUPPORTED', `The fee token ${wanted} is not supported`, {
    supported: tokenMode ? supported.map(({ address }) => address) : [],
  });
};

/** The requested tokens without duplicates, the preferred one first. An empty list means all tokens. */
export const requestedTokens = (tokenInfo: TokenInfo): readonly Address[] => {
  const named = [tokenInfo.preferredToken, tokenInfo.feeTokenAddress, ...(tokenInfo.tokenList ?? [])];
  const given = named.filter((token) => token !== undefined && token !== null);
  return [...new Map(given.map((token) => [addressKey(token), token])).values()];
};
