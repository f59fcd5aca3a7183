/** The cost itself in `priceMarkup` of Biconomy's contracts, which is in millionths. */
export const NO_MARKUP = 1_000_000;

/** The term `priceMarkup`, in millionths; without it the cost itself is charged. */
export const markupOf = ({ priceMarkup = NO_MARKUP }: { readonly priceMarkup?: number }): number => priceMarkup;
