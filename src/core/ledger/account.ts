/** What an account counts: one of the limits, a balance on chain, or the amount signed within a period. */
export const accountKinds = [
  'tank',
  'sender',
  'dapp',
  'user',
  'limit',
  'breaker',
  'dappBreaker',
  'unreachable',
  'authorizations',
  'authorizationsOfNonce',
] as const;

export type AccountKind = (typeof accountKinds)[number];

/** The kinds whose accounts are buckets of rolling windows. */
export const rollingKinds: readonly AccountKind[] = ['breaker', 'dappBreaker', 'unreachable'];

/**
 * Where the account of a limit is stored: together with the accounts of the same user for other limits of the DApp. So a
 * decision changes few rows, however many limits there are.
 */
export interface LimitPlace {
  /** A user's accounts with this text are stored in one row. */
  readonly group: string;
  /** The limit and its window: `id:window` of the account. */
  readonly name: string;
}

/** An account of the ledger, in which reservations add up. */
export interface AccountKey {
  readonly kind: AccountKind;
  /** What is counted, such as a tank, a limit or a chain. */
  readonly id: string;
  /** Number of the window, or of a rolling window's bucket. Absent if the account has no windows. */
  readonly window?: number;
  /** The user's address in lower case, or the keyed hash of a person; absent if the account is shared. */
  readonly user?: string;
  /** Only for a limit. Absent: the account has a row of its own. */
  readonly place?: LimitPlace;
}

/** The key of an account that is stored with others. */
export type PlacedKey = AccountKey & { readonly place: LimitPlace };

/**
 * How the settlement of an operation changes an account: `tank` releases the whole amount, because the cost has left the
 * balance on the chain and the rest was not used; `count` keeps the amount of a mined operation; `spend` keeps its actual cost; `share` keeps the
 * amount times actual cost / maximum cost.
 */
export type ReservationKind = 'tank' | 'count' | 'spend' | 'share';

/** What a signed operation reserves in one account. */
export interface Reservation {
  readonly account: AccountKey;
  readonly kind: ReservationKind;
  /** Wei, operations, 10^-18 US dollars, or a token's smallest units. */
  readonly amount: bigint;
  /** Only for a `share`: the maximum cost that the amount stands for, in wei. */
  readonly ofWei?: bigint;
  /**
   * Only for a bucket of a rolling window: the number of the oldest bucket that counts. Amounts in buckets are never
   * released.
   */
  readonly since?: number;
  /** Id of the shadow rule that this account belongs to. An operation that the rule would deny does not count in it. */
  readonly shadow?: string;
}

/** The form of an account in a list, whose rows always have a window and a user, even if the account has none. */
export const listedAccount = ({ kind, id, window, user }: Required<Omit<AccountKey, 'place'>>): AccountKey => ({
  kind,
  id,
  ...((kind === 'limit' || rollingKinds.includes(kind)) && { window }),
  ...(user !== '' && { user }),
});

/** No bucket number has more digits. All numbers have this length, so that names sort like numbers. */
const DIGITS = 16;

/** The account's name in records. */
export const accountText = ({ kind, id, window, user }: AccountKey): string => {
  if (kind === 'limit') return `${kind}:${id}:${window ?? 0}:${user ?? ''}`;
  if (window !== undefined) return `${kind}:${id}:${String(Math.max(0, window)).padStart(DIGITS, '0')}`;
  return user === undefined ? `${kind}:${id}` : `${kind}:${id}:${user}`;
};

/** Number of the bucket that contains a time, in a rolling window. Both parameters are in ms. */
export const partAt = (at: number, partMs: number): number => Math.max(0, Math.floor(at / partMs));
