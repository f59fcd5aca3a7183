/** What a decision under a draft needs, and its record does not contain. */
export type UnknownCause = 'record' | 'webhook' | 'price' | 'token' | 'person' | 'gas';

const CAUSES: Readonly<Record<string, UnknownCause>> = {
  PRICE_NOT_READ: 'price',
  TOKEN_HOLDING_NOT_READ: 'token',
  SUBJECT_NOT_READ: 'person',
  LIMIT_SUBJECT_NOT_READ: 'person',
};

/** What is missing where a rule denies because a value was not read. Conditions read many values. */
export const causeOf = ({ code }: { readonly code: string }): UnknownCause => CAUSES[code] ?? 'record';
