import { type TokenHolding, asksOwner, holdingSetup } from '../../../../core/rules/token-holding.ts';

export interface HoldingInput {
  standard: TokenHolding['standard'];
  address: string;
  /** Empty: none. ERC-20 has none, whatever is typed. */
  tokenId: string;
  minimum: string;
}

/** The form of a rule, or an empty form. */
export const holdingInput = (kept: TokenHolding | undefined): HoldingInput => ({
  standard: kept?.standard ?? 'ERC20',
  address: kept?.address ?? '',
  tokenId: kept?.tokenId ?? '',
  minimum: kept?.minimum ?? '',
});

/** True for a single NFT: its owner always has exactly one, so the form has no minimum. */
export const isOneNft = ({ standard, tokenId }: Pick<HoldingInput, 'standard' | 'tokenId'>): boolean =>
  tokenId.trim() !== '' && asksOwner({ standard, tokenId: tokenId.trim(), address: '0x' });

const read = (input: HoldingInput) =>
  holdingSetup.sent.safeParse({
    ...{ standard: input.standard, address: input.address.trim() },
    ...(input.standard !== 'ERC20' && input.tokenId.trim() !== '' && { tokenId: input.tokenId.trim() }),
    minimum: isOneNft(input) ? '1' : input.minimum.trim(),
  });

/** The typed holding; undefined if it cannot be sent. */
export const typedHolding = (input: HoldingInput): TokenHolding | undefined => read(input).data;

/** The fault of a field as a sentence; empty without a fault, or if nothing is typed. */
export const holdingFault = (input: HoldingInput, field: 'address' | 'tokenId' | 'minimum'): string => {
  if (input[field].trim() === '') return '';
  const issue = read(input).error?.issues.find(({ path }) => path[0] === field);
  return issue === undefined ? '' : `It ${issue.message}.`;
};
