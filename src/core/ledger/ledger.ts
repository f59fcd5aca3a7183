import { type ReservedAmount, type SettlementState, heldAfter } from './after-settlement.ts';
import { type AccountKey, type Reservation, accountText, listedAccount, rollingKinds } from './account.ts';
import { MAX_PARTS } from './rolling.ts';

/** What a signed operation still keeps reserved in one account. */
export interface OpenReservation extends ReservedAmount {
  readonly account: string;
  held: bigint;
}

const rollingKey = ({ kind, id }: Pick<AccountKey, 'kind' | 'id'>): string => `${kind}:${id}`;

/** The amounts in the accounts, in memory. */
export class Ledger {
  readonly #accounts = new Map<string, bigint>();
  /** Amount in each bucket of each rolling window, by bucket number. */
  readonly #rolling = new Map<string, Map<number, bigint>>();

  #parts(key: string): Map<number, bigint> {
    const parts = this.#rolling.get(key) ?? new Map<number, bigint>();
    this.#rolling.set(key, parts);
    return parts;
  }

  #addPart(key: string, window: number, amount: bigint, since: number): void {
    const parts = this.#parts(key);
    const isNew = !parts.has(window);
    parts.set(window, (parts.get(window) ?? 0n) + amount);
    if (!isNew || parts.size <= MAX_PARTS) return;
    const windows = [...parts.keys()].sort((one, other) => other - one);
    for (const old of windows.slice(MAX_PARTS)) if (old < since) parts.delete(old);
  }

  /** Account totals by {@link accountText}, without the buckets of rolling windows. */
  get accounts(): ReadonlyMap<string, bigint> {
    return this.#accounts;
  }

  /** An account's total. For a rolling window, the sum of the buckets that count. */
  heldBy({ account, since }: Pick<Reservation, 'account' | 'since'>): bigint {
    if (since === undefined) return this.#accounts.get(accountText(account)) ?? 0n;
    const parts = [...this.#parts(rollingKey(account))];
    return parts.reduce((sum, [window, held]) => (window >= since ? sum + held : sum), 0n);
  }

  /** Sets the amount in an account. A listed account always has a window and a user. */
  put(listed: Parameters<typeof listedAccount>[0], held: bigint): void {
    if (rollingKinds.includes(listed.kind)) this.#parts(rollingKey(listed)).set(listed.window, held);
    else this.#accounts.set(accountText(listedAccount(listed)), held);
  }

  /** Adds to an account that is not a bucket of a rolling window. @param account as {@link accountText} names it */
  add(account: string, amount: bigint): void {
    this.#accounts.set(account, (this.#accounts.get(account) ?? 0n) + amount);
  }

  addTo({ account, since }: Pick<Reservation, 'account' | 'since'>, amount: bigint): void {
    if (since === undefined) this.add(accountText(account), amount);
    else this.#addPart(rollingKey(account), account.window ?? since, amount, since);
  }

  /** Adds the reservations of a signed operation. @returns the reservations that settlement may change */
  take(reservations: readonly Reservation[]): OpenReservation[] {
    for (const reservation of reservations) this.addTo(reservation, reservation.amount);
    return reservations
      .filter(({ since }) => since === undefined)
      .map(({ account, kind, amount, ofWei }) => ({
        account: accountText(account),
        follows: kind,
        reserved: amount,
        held: amount,
        ...(ofWei !== undefined && { ofWei }),
      }));
  }

  /** Applies a settlement to the accounts of a signed operation. */
  settle(holdings: readonly OpenReservation[], settlement: SettlementState, actualCostWei: bigint): void {
    for (const holding of holdings) {
      const after = heldAfter(settlement, holding, actualCostWei);
      this.add(holding.account, after - holding.held);
      holding.held = after;
    }
  }

  /** Number of the newest bucket of a rolling window; undefined if it has no buckets. */
  newestPart(account: Pick<AccountKey, 'kind' | 'id'>): number | undefined {
    const windows = [...this.#parts(rollingKey(account)).keys()];
    return windows.length === 0 ? undefined : Math.max(...windows);
  }

  reset(account: Pick<AccountKey, 'kind' | 'id'>): void {
    this.#rolling.delete(rollingKey(account));
  }
}
