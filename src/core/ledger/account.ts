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
] as const;

export type AccountKind = (typeof accountKinds)[number];

/** The kinds whose accounts are buckets of rolling windows. */
export const rollingKinds: readonly AccountKind[] = ['breaker', 'dappBreaker', 'unreachable'];

/** An account of the ledger: what reservations add up in. */
export interface AccountKey {
  readonly kind: AccountKind;
  /** What is counted, such as a tank, a limit or a chain. */
  readonly id: string;
  /** Number of the window, or of a rolling window's bucket. Absent if the account has no windows. */
  readonly window?: number;
  /** User address in lower case; absent if the account is shared. */
  readonly user?: string;
}

/**
 * How an account follows its operation: `tank` releases what the chain has taken or what was not used; `count` keeps a
 * mined operation; `spend` keeps its actual cost. `share` keeps the amount times actual cost / maximum cost.
 */
export type ReservationKind = 'tank' | 'count' | 'spend' | 'share';

/** What a signed operation takes from one account. */
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
  /** Id of the rule in shadow that this account counts for; an operation that the rule would deny is not counted. */
  readonly shadow?: string;
}

/** The account in a list whose rows always have a window and a user, even if the account does not. */
export const listedAccount = ({ kind, id, window, user }: Required<AccountKey>): AccountKey => ({
  kind,
  id,
  ...((kind === 'limit' || rollingKinds.includes(kind)) && { window }),
  ...(user !== '' && { user }),
});

/** No bucket number has more digits, so the names sort like the numbers. */
const DIGITS = 16;

/** The account's name in records. */
export const accountText = ({ kind, id, window, user }: AccountKey): string => {
  if (kind === 'limit') return `${kind}:${id}:${window ?? 0}:${user ?? ''}`;
  if (window !== undefined) return `${kind}:${id}:${String(Math.max(0, window)).padStart(DIGITS, '0')}`;
  return user === undefined ? `${kind}:${id}` : `${kind}:${id}:${user}`;
};

/** Number of the bucket of a rolling window that contains a time. Both parameters in ms. */
export const partAt = (at: number, partMs: number): number => Math.max(0, Math.floor(at / partMs));
