import type { SettlementState } from '../ledger/after-settlement.ts';
import { type Reservation, accountText } from '../ledger/account.ts';
import { type OpenReservation, Ledger } from '../ledger/ledger.ts';
import { renewableBefore } from '../rules/unreachable.ts';
import type { EntryBody } from './entry.ts';

/** An account whose amount differs from the one in a decision. */
export interface LedgerDifference {
  readonly account: string;
  readonly stored: string;
  readonly computed: string;
}

/** The ledger, computed from the entries of a log alone. */
export class LedgerCheck {
  readonly #ledger = new Ledger();
  readonly #decisions = new Map<string, OpenReservation[]>();
  readonly #groups = new Map<string, string>();
  readonly #holds = new Map<number, { readonly account: string; readonly amount: bigint }>();

  /** The accounts whose amounts differ from those in the decision. From then on, the decision's amounts are used. */
  compare(reservations: readonly Reservation[], stored: readonly string[]): LedgerDifference[] {
    const differences: LedgerDifference[] = [];
    for (const [index, reservation] of reservations.entries()) {
      const said = stored[index] ?? '0';
      const computed = this.#ledger.heldBy(reservation);
      if (said === String(computed)) continue;
      differences.push({ account: accountText(reservation.account), stored: said, computed: String(computed) });
      this.#ledger.addTo(reservation, BigInt(said) - computed);
    }
    return differences;
  }

  /** Current account totals by `accountText`, without the buckets of rolling windows. */
  get accounts(): ReadonlyMap<string, bigint> {
    return this.#ledger.accounts;
  }

  /** Where the accounts of limits are stored: the `group` of each {@link LimitPlace}, by `accountText`. */
  get groups(): ReadonlyMap<string, string> {
    return this.#groups;
  }

  reserve(decision: string, reservations: readonly Reservation[]): void {
    this.#decisions.set(decision, this.#ledger.take(reservations));
    for (const { account } of reservations) {
      if (account.place !== undefined) this.#groups.set(accountText(account), account.place.group);
    }
  }

  /** Applies a settlement to the accounts of a decision. */
  settle(decision: string, settlement: SettlementState, actualCostWei: bigint): void {
    this.#ledger.settle(this.#decisions.get(decision) ?? [], settlement, actualCostWei);
  }

  /** Adds a hold. @returns what is wrong with it, in words; undefined if nothing is */
  hold({ hold, account, amount }: EntryBody<'hold'>): string | undefined {
    const isTaken = this.#holds.has(hold);
    this.#holds.set(hold, { account, amount: BigInt(amount) });
    this.#ledger.add(account, BigInt(amount));
    if (isTaken) return `Hold ${hold} already exists`;
    if (!account.startsWith('tank:')) return `A hold must belong to a gas tank, and ${account} is not one`;
    return BigInt(amount) < 0n ? `Hold ${hold} is of ${amount}` : undefined;
  }

  /** Ends holds. @returns one of them that does not exist */
  release(holds: Iterable<number>): number | undefined {
    let unknown: number | undefined;
    for (const hold of holds) {
      const held = this.#holds.get(hold);
      if (held === undefined) unknown = hold;
      else this.#ledger.add(held.account, -held.amount);
      this.#holds.delete(hold);
    }
    return unknown;
  }

  /**
   * Ends all holds except those that continue. Called when an engine has started, because the holds of engines that are
   * gone end then.
   *
   * @returns those of `continuing` that do not exist, or are named twice
   */
  releaseAllBut(continuing: readonly number[] = []): number[] {
    const lasting = new Set(continuing);
    this.release([...this.#holds.keys()].filter((hold) => !lasting.has(hold)));
    // A hold is removed when it is named for the first time.
    return continuing.filter((hold) => !(lasting.delete(hold) && this.#holds.has(hold)));
  }

  /** Resets a budget. @param at epoch ms @returns what is wrong with the reset, in words; undefined if nothing is */
  reset(account: EntryBody<'reset'>, at: number): string | undefined {
    const newest = this.#ledger.newestPart(account);
    this.#ledger.reset(account);
    if (account.kind !== 'unreachable') return `${account.kind}:${account.id} does not restart`;
    if (newest === undefined) return `Nothing counts in ${account.kind}:${account.id}`;
    return newest < renewableBefore(at) ? undefined : `What counts in ${account.kind}:${account.id} is too new`;
  }
}
