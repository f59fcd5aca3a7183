import { type SettlementState, heldAfter } from '../ledger/after-settlement.ts';
import { type AccountKey, type Reservation, type ReservationKind, accountText } from '../ledger/account.ts';
import { MOST_PARTS } from '../ledger/rolling.ts';
import type { EntryBody } from './entry.ts';

/** What a signed operation still holds of one account. */
interface Held {
  readonly account: string;
  readonly follows: ReservationKind;
  readonly reserved: bigint;
  held: bigint;
}

/** An account that held something else than a decision says. */
export interface LedgerDifference {
  readonly account: string;
  readonly stored: string;
  readonly computed: string;
}

const rollingKey = ({ kind, id }: Pick<AccountKey, 'kind' | 'id'>): string => `${kind}:${id}`;

/** The kinds whose accounts are parts of rolling windows. */
const ROLLING = new Set<AccountKey['kind']>(['breaker', 'dappBreaker', 'unreachable']);

/** The ledger, computed from nothing but the entries of a log. */
export class LedgerCheck {
  readonly #accounts = new Map<string, bigint>();
  /** What the parts of rolling windows hold, by window. */
  readonly #rolling = new Map<string, Map<number, bigint>>();
  readonly #decisions = new Map<string, Held[]>();
  readonly #holds = new Map<number, { readonly account: string; readonly amount: bigint }>();

  #add(account: string, amount: bigint): void {
    this.#accounts.set(account, (this.#accounts.get(account) ?? 0n) + amount);
  }

  #parts(key: string): Map<number, bigint> {
    const parts = this.#rolling.get(key) ?? new Map<number, bigint>();
    this.#rolling.set(key, parts);
    return parts;
  }

  /** What an account holds, or the parts of its rolling window that count. */
  #look({ account, since }: Reservation): bigint {
    if (since === undefined) return this.#accounts.get(accountText(account)) ?? 0n;
    const parts = [...this.#parts(rollingKey(account))];
    return parts.reduce((sum, [window, held]) => (window >= since ? sum + held : sum), 0n);
  }

  /** What the ledger held when the log began on a desk that had decided before. */
  open({ accounts, reservations }: EntryBody<'ledger'>): void {
    for (const { kind, id, window, user, held } of accounts) {
      if (ROLLING.has(kind)) this.#parts(rollingKey({ kind, id })).set(window, BigInt(held));
      else {
        const key = { kind, id, ...(kind === 'limit' && { window }), ...(user !== '' && { user }) };
        this.#accounts.set(accountText(key), BigInt(held));
      }
    }
    for (const { decision, account, follows, reserved, held } of reservations) {
      const all = this.#decisions.get(decision) ?? [];
      all.push({ account, follows, reserved: BigInt(reserved), held: BigInt(held) });
      this.#decisions.set(decision, all);
    }
  }

  /** What the accounts of a decision held, where it is not what the decision says; from then on it is believed. */
  compare(reservations: readonly Reservation[], stored: readonly string[]): LedgerDifference[] {
    const differences: LedgerDifference[] = [];
    for (const [index, reservation] of reservations.entries()) {
      const said = stored[index] ?? '0';
      const computed = this.#look(reservation);
      if (said === String(computed)) continue;
      const { account, since } = reservation;
      differences.push({ account: accountText(account), stored: said, computed: String(computed) });
      const correction = BigInt(said) - computed;
      if (since === undefined) this.#add(accountText(account), correction);
      else this.#addPart(rollingKey(account), account.window ?? since, correction, since);
    }
    return differences;
  }

  #addPart(key: string, window: number, amount: bigint, since: number): void {
    const parts = this.#parts(key);
    const isNew = !parts.has(window);
    parts.set(window, (parts.get(window) ?? 0n) + amount);
    if (!isNew || parts.size <= MOST_PARTS) return;
    const windows = [...parts.keys()].sort((one, other) => other - one);
    for (const old of windows.slice(MOST_PARTS)) if (old < since) parts.delete(old);
  }

  /** Takes what a signed operation reserves. */
  reserve(decision: string, reservations: readonly Reservation[]): void {
    const kept: Held[] = [];
    for (const { account, kind, amount, since } of reservations) {
      if (since !== undefined) {
        this.#addPart(rollingKey(account), account.window ?? since, amount, since);
        continue;
      }
      const text = accountText(account);
      this.#add(text, amount);
      kept.push({ account: text, follows: kind, reserved: amount, held: amount });
    }
    this.#decisions.set(decision, kept);
  }

  /** Lets the accounts of a decision follow what became of it. */
  settle(decision: string, settlement: SettlementState, actualCostWei: bigint): void {
    for (const reservation of this.#decisions.get(decision) ?? []) {
      const after = heldAfter(settlement, reservation, actualCostWei);
      this.#add(reservation.account, after - reservation.held);
      reservation.held = after;
    }
  }

  hold({ hold, account, amount }: EntryBody<'hold'>): void {
    this.#holds.set(hold, { account, amount: BigInt(amount) });
    this.#add(account, BigInt(amount));
  }

  release(holds: Iterable<number>): void {
    for (const hold of holds) {
      const held = this.#holds.get(hold);
      if (held !== undefined) this.#add(held.account, -held.amount);
      this.#holds.delete(hold);
    }
  }

  /** The engine was started: whoever held something is gone. */
  releaseAll(): void {
    this.release([...this.#holds.keys()]);
  }

  reset(account: EntryBody<'reset'>): void {
    this.#rolling.delete(rollingKey(account));
  }
}
