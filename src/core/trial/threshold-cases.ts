import { RollingWindow } from '../ledger/rolling.ts';
import type { TalliedDecision, ThresholdTally } from './threshold-tally.ts';

/** A ledger account that the draft reads for an operation. */
export interface CaseRead {
  /** Name of the account; of a rolling window, without its bucket. */
  readonly account: string;
  /** The real amount in the account. */
  readonly held: bigint;
  /** The highest amount with which the operation passes; undefined if any amount passes. */
  readonly most: bigint | undefined;
  /** Whether this is the account of the limit whose threshold moves. Its threshold is to be added to `most`. */
  readonly isMoved: boolean;
  /** By how much the account's amount changes in comparison with the real one, if the operation is sponsored or not. */
  readonly ifTaken: bigint;
  readonly ifNot: bigint;
  /** The operation's bucket of a rolling window, and the oldest bucket that counts. */
  readonly bucket?: { readonly window: number; readonly since: number };
}

/** A past decision, with all that its result depends on under any threshold. */
export interface ThresholdCase extends TalliedDecision {
  /** The result if no account makes a rule deny. */
  readonly clear: 'sponsored' | 'denied' | 'unknown';
  readonly reads: readonly CaseRead[];
}

/** The amounts that show which thresholds are of use, in the unit of the limit. */
export interface UsefulAmounts {
  /** What the smallest operation takes. A lower threshold denies everything. */
  readonly least: bigint;
  /** The most that would be used in any account without the limit. A higher threshold denies nothing. */
  readonly most: bigint;
}

interface NumberedRead extends Omit<CaseRead, 'account'> {
  readonly account: number;
}

interface NumberedCase extends ThresholdCase {
  readonly numbered: readonly NumberedRead[];
}

/** By how much the amounts in the accounts are higher under a threshold than they really were. */
class Ahead {
  readonly #plain: bigint[];
  readonly #rolling = new Map<number, RollingWindow>();

  constructor(accounts: number) {
    this.#plain = new Array<bigint>(accounts).fill(0n);
  }

  of({ account, bucket }: NumberedRead): bigint {
    if (bucket === undefined) return this.#plain[account] ?? 0n;
    return this.#rolling.get(account)?.heldSince(bucket.since) ?? 0n;
  }

  add({ account, bucket }: NumberedRead, amount: bigint): void {
    if (bucket === undefined) {
      this.#plain[account] = (this.#plain[account] ?? 0n) + amount;
      return;
    }
    const window = this.#rolling.get(account) ?? new RollingWindow();
    this.#rolling.set(account, window);
    window.add(bucket.window, amount, bucket.since);
  }
}

/** Called with each case, its result, and the amounts in its accounts. */
type Use = (one: NumberedCase, after: 'sponsored' | 'denied' | 'unknown', held: readonly bigint[]) => void;

/** Past decisions in order. They are decided under a threshold within milliseconds, without reading anything again. */
export class ThresholdCases {
  readonly #cases: NumberedCase[] = [];
  readonly #accounts = new Map<string, number>();

  get length(): number {
    return this.#cases.length;
  }

  add(one: ThresholdCase): void {
    const numbered = one.reads.map((read) => {
      const account = this.#accounts.get(read.account) ?? this.#accounts.size;
      this.#accounts.set(read.account, account);
      return { ...read, account };
    });
    this.#cases.push({ ...one, reads: [], numbered });
  }

  #run(threshold: bigint, use: Use): void {
    const ahead = new Ahead(this.#accounts.size);
    const held: bigint[] = [];
    for (const one of this.#cases) {
      const { numbered: reads, clear, before } = one;
      let denies = false;
      for (const [index, read] of reads.entries()) {
        const { most, isMoved } = read;
        const by = ahead.of(read);
        const sum = by === 0n ? read.held : read.held + by;
        const now = sum < 0n ? 0n : sum;
        held[index] = now;
        denies ||= most !== undefined && now > (isMoved ? most + threshold : most);
      }
      const after = denies ? 'denied' : clear;
      const isTaken = (after === 'unknown' ? before : after) === 'sponsored';
      for (const read of reads) {
        const change = isTaken ? read.ifTaken : read.ifNot;
        if (change !== 0n) ahead.add(read, change);
      }
      use(one, after, held);
    }
  }

  /**
   * Decides all under a threshold, in the unit of the limit.
   *
   * @param weight how many decisions each one stands for
   */
  count(threshold: bigint, tally: ThresholdTally, weight = 1): void {
    this.#run(threshold, (one, result) => tally.add(one, result, weight));
  }

  /**
   * Undefined if the limit concerns none of the operations, or if what they count as is not known, because no price was
   * recorded with them.
   *
   * @param unlimited a threshold that denies nothing
   */
  amounts(unlimited: bigint): UsefulAmounts | undefined {
    let found: UsefulAmounts | undefined;
    this.#run(unlimited, ({ numbered }, after, held) => {
      const index = numbered.findIndex(({ isMoved }) => isMoved);
      const amount = -(numbered[index]?.most ?? 0n);
      if (amount === 0n || after === 'denied') return;
      const used = (held[index] ?? 0n) + amount;
      const { least, most } = found ?? { least: amount, most: used };
      found = { least: amount < least ? amount : least, most: used > most ? used : most };
    });
    return found;
  }
}
