/** The `priceMarkup`, in millionths, with which Biconomy's contracts charge exactly the cost. */
export const NO_MARKUP = 1_000_000;

/** The term `priceMarkup` in millionths. By default, exactly the cost is charged. */
export const markupOf = ({ priceMarkup = NO_MARKUP }: { readonly priceMarkup?: number }): number => priceMarkup;
