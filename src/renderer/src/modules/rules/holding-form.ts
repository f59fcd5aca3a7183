import { type TokenHolding, asksOwner, holdingSetup } from '../../../../core/rules/token-holding.ts';

/** What senders have to hold, as it is typed. */
export interface HoldingInput {
  standard: TokenHolding['standard'];
  address: string;
  /** Empty: none. ERC-20 has none, whatever is typed. */
  tokenId: string;
  minimum: string;
}

/** A form nobody has touched, or what it shows of a rule. */
export const holdingInput = (kept: TokenHolding | undefined): HoldingInput => ({
  standard: kept?.standard ?? 'ERC20',
  address: kept?.address ?? '',
  tokenId: kept?.tokenId ?? '',
  minimum: kept?.minimum ?? '',
});

/** True where one NFT is asked for: nobody owns it twice, so no minimum is typed. */
export const isOneNft = ({ standard, tokenId }: Pick<HoldingInput, 'standard' | 'tokenId'>): boolean =>
  tokenId.trim() !== '' && asksOwner({ standard, tokenId: tokenId.trim(), address: '0x' });

const read = (input: HoldingInput) =>
  holdingSetup.sent.safeParse({
    ...{ standard: input.standard, address: input.address.trim() },
    ...(input.standard !== 'ERC20' && input.tokenId.trim() !== '' && { tokenId: input.tokenId.trim() }),
    minimum: isOneNft(input) ? '1' : input.minimum.trim(),
  });

/** What is to be held; undefined while that cannot be sent. */
export const typedHolding = (input: HoldingInput): TokenHolding | undefined => read(input).data;

/** What is wrong with a field, in a sentence; empty: nothing, or nothing is typed. */
export const holdingFault = (input: HoldingInput, field: 'address' | 'tokenId' | 'minimum'): string => {
  if (input[field].trim() === '') return '';
  const issue = read(input).error?.issues.find(({ path }) => path[0] === field);
  return issue === undefined ? '' : `It ${issue.message}.`;
};
