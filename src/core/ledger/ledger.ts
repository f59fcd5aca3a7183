import { type ReservedAmount, type SettlementState, heldAfter } from './after-settlement.ts';
import { type AccountKey, type Reservation, accountText, listedAccount, rollingKinds } from './account.ts';
import { RollingWindow } from './rolling.ts';

/** What a signed operation still keeps reserved in one account. */
export interface OpenReservation extends ReservedAmount {
  readonly account: string;
  held: bigint;
}

const rollingKey = ({ kind, id }: Pick<AccountKey, 'kind' | 'id'>): string => `${kind}:${id}`;

/** The amounts in the accounts, in memory. */
export class Ledger {
  readonly #accounts = new Map<string, bigint>();
  readonly #rolling = new Map<string, RollingWindow>();

  #window(key: string): RollingWindow {
    const window = this.#rolling.get(key) ?? new RollingWindow();
    this.#rolling.set(key, window);
    return window;
  }

  /** Account totals by {@link accountText}, without the buckets of rolling windows. */
  get accounts(): ReadonlyMap<string, bigint> {
    return this.#accounts;
  }

  /** An account's total. For a rolling window, the sum of the buckets that count. */
  heldBy({ account, since }: Pick<Reservation, 'account' | 'since'>): bigint {
    if (since === undefined) return this.#accounts.get(accountText(account)) ?? 0n;
    return this.#window(rollingKey(account)).heldSince(since);
  }

  /** Sets the amount in an account. A listed account always has a window and a user. */
  put(listed: Parameters<typeof listedAccount>[0], held: bigint): void {
    if (rollingKinds.includes(listed.kind)) this.#window(rollingKey(listed)).put(listed.window, held);
    else this.#accounts.set(accountText(listedAccount(listed)), held);
  }

  /** Adds to an account that is not a bucket of a rolling window. @param account as {@link accountText} names it */
  add(account: string, amount: bigint): void {
    this.#accounts.set(account, (this.#accounts.get(account) ?? 0n) + amount);
  }

  addTo({ account, since }: Pick<Reservation, 'account' | 'since'>, amount: bigint): void {
    if (since === undefined) this.add(accountText(account), amount);
    else this.#window(rollingKey(account)).add(account.window ?? since, amount, since);
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
    return this.#rolling.get(rollingKey(account))?.newest;
  }

  reset(account: Pick<AccountKey, 'kind' | 'id'>): void {
    this.#rolling.delete(rollingKey(account));
  }
}
