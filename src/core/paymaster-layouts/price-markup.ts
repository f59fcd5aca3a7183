/** `priceMarkup` of Biconomy's contracts that charges the cost itself; it is in millionths. */
export const NO_MARKUP = 1_000_000;

/** The term `priceMarkup`, in millionths; by default the cost itself is charged. */
export const markupOf = ({ priceMarkup = NO_MARKUP }: { readonly priceMarkup?: number }): number => priceMarkup;
