import type { SettlementState } from '../ledger/after-settlement.ts';
import { type Reservation, accountText } from '../ledger/account.ts';
import { type Held, Ledger } from '../ledger/ledger.ts';
import type { EntryBody } from './entry.ts';

/** An account that held something else than a decision says. */
export interface LedgerDifference {
  readonly account: string;
  readonly stored: string;
  readonly computed: string;
}

/** The ledger, computed from nothing but the entries of a log. */
export class LedgerCheck {
  readonly #ledger = new Ledger();
  readonly #decisions = new Map<string, Held[]>();
  readonly #holds = new Map<number, { readonly account: string; readonly amount: bigint }>();

  /** What the ledger held when the log began on a desk that had decided before. */
  open({ accounts, reservations }: EntryBody<'ledger'>): void {
    for (const { held, ...account } of accounts) this.#ledger.put(account, BigInt(held));
    for (const { decision, account, follows, reserved, held, ofWei } of reservations) {
      const all = this.#decisions.get(decision) ?? [];
      all.push({
        ...{ account, follows, reserved: BigInt(reserved), held: BigInt(held) },
        ...(ofWei !== undefined && { ofWei: BigInt(ofWei) }),
      });
      this.#decisions.set(decision, all);
    }
  }

  /** What the accounts of a decision held, where it is not what the decision says; from then on it is believed. */
  compare(reservations: readonly Reservation[], stored: readonly string[]): LedgerDifference[] {
    const differences: LedgerDifference[] = [];
    for (const [index, reservation] of reservations.entries()) {
      const said = stored[index] ?? '0';
      const computed = this.#ledger.look(reservation);
      if (said === String(computed)) continue;
      differences.push({ account: accountText(reservation.account), stored: said, computed: String(computed) });
      this.#ledger.addTo(reservation, BigInt(said) - computed);
    }
    return differences;
  }

  /** Takes what a signed operation reserves. */
  reserve(decision: string, reservations: readonly Reservation[]): void {
    this.#decisions.set(decision, this.#ledger.take(reservations));
  }

  /** Lets the accounts of a decision follow what became of it. */
  settle(decision: string, settlement: SettlementState, actualCostWei: bigint): void {
    this.#ledger.settle(this.#decisions.get(decision) ?? [], settlement, actualCostWei);
  }

  hold({ hold, account, amount }: EntryBody<'hold'>): void {
    this.#holds.set(hold, { account, amount: BigInt(amount) });
    this.#ledger.add(account, BigInt(amount));
  }

  release(holds: Iterable<number>): void {
    for (const hold of holds) {
      const held = this.#holds.get(hold);
      if (held !== undefined) this.#ledger.add(held.account, -held.amount);
      this.#holds.delete(hold);
    }
  }

  /**
   * An engine was started: the holds of those that are gone end, and the others go on.
   *
   * @returns those of the others that are no holds, or are named twice
   */
  releaseAllBut(goOn: readonly number[] = []): number[] {
    const lasting = new Set(goOn);
    this.release([...this.#holds.keys()].filter((hold) => !lasting.has(hold)));
    // The first time a hold is named it is taken out.
    return goOn.filter((hold) => !(lasting.delete(hold) && this.#holds.has(hold)));
  }

  reset(account: EntryBody<'reset'>): void {
    this.#ledger.reset(account);
  }
}
