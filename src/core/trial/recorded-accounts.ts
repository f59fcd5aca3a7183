import type { PastDecision } from '../decision/past-decision.ts';
import { type Reservation, accountText } from '../ledger/account.ts';
import { keptBy } from './judge.ts';

/** A ledger account that a draft reads for an operation, as it really was. */
export interface AccountRead {
  readonly reservation: Reservation;
  /** Amount in the account before the operation. */
  readonly held: bigint;
  /** Amount that the operation kept in it after settlement. */
  readonly kept: bigint;
}

/**
 * The real amounts in accounts, from the records of decisions in order. An account that a record does not name holds
 * what it held after the last record that did; an account that no record names is empty.
 */
export class RecordedAccounts {
  readonly #last = new Map<string, bigint>();

  read(decision: PastDecision, reservations: readonly Reservation[]): AccountRead[] {
    const entries = new Map(decision.reservations.map((one) => [one.account, one]));
    return reservations.map((reservation) => {
      const account = accountText(reservation.account);
      const entry = entries.get(account);
      if (entry === undefined) return { reservation, held: this.#last.get(account) ?? 0n, kept: 0n };
      const { held, amount } = entry;
      const kept = decision.outcome === 'sponsored' ? keptBy(decision, { ...reservation, amount }) : 0n;
      this.#last.set(account, held + kept);
      return { reservation, held, kept };
    });
  }
}
