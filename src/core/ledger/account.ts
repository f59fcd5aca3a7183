/** What accounts of the ledger count: one of the limits, a balance on chain, or what was signed in a time. */
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

/** What an account of the ledger counts. */
export type AccountKind = (typeof accountKinds)[number];

/** The kinds whose accounts are parts of rolling windows. */
export const rollingKinds: readonly AccountKind[] = ['breaker', 'dappBreaker', 'unreachable'];

/** An account of the ledger: what reservations add up in. */
export interface AccountKey {
  readonly kind: AccountKind;
  /** What is counted, such as a tank, a limit or a chain. */
  readonly id: string;
  /** Which of the windows, or of the parts of a rolling window; absent where there are none. */
  readonly window?: number;
  /** User address in lower case; absent if the account is shared. */
  readonly user?: string;
}

/**
 * How an account follows what becomes of an operation: `tank` gives back what the chain has taken or what was not used;
 * `count` keeps an operation that was mined; `spend` keeps its actual cost, and `share` the part of the amount that the
 * actual cost is of the maximum cost.
 */
export type ReservationKind = 'tank' | 'count' | 'spend' | 'share';

/** What a signed operation takes from one account. */
export interface Reservation {
  readonly account: AccountKey;
  readonly kind: ReservationKind;
  /** Wei, operations, 10^-18 US dollars, or a token's smallest units. */
  readonly amount: bigint;
  /** Of a `share`: the maximum cost that the amount stands for, wei. */
  readonly ofWei?: bigint;
  /**
   * The account is part of a rolling window: what its parts hold from this one on counts together. What was reserved in
   * them is never given back.
   */
  readonly since?: number;
  /** The id of the rule in shadow that counts here: what it would deny takes nothing. */
  readonly shadow?: string;
}

/** The account in a list that tells each with a window and a user, whether it has them or not. */
export const listedAccount = ({ kind, id, window, user }: Required<AccountKey>): AccountKey => ({
  ...{ kind, id },
  ...((kind === 'limit' || rollingKinds.includes(kind)) && { window }),
  ...(user !== '' && { user }),
});

/** No count of parts since 1970 has more digits: texts sort as numbers do. */
const DIGITS = 16;

/** How records name an account. */
export const accountText = ({ kind, id, window, user }: AccountKey): string => {
  if (kind === 'limit') return `${kind}:${id}:${window ?? 0}:${user ?? ''}`;
  if (window !== undefined) return `${kind}:${id}:${String(Math.max(0, window)).padStart(DIGITS, '0')}`;
  return user === undefined ? `${kind}:${id}` : `${kind}:${id}:${user}`;
};

/** The number of the part of a rolling window that a time lies in. Both in ms. */
export const partAt = (at: number, partMs: number): number => Math.max(0, Math.floor(at / partMs));
