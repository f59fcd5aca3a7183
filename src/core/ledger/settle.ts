import type { SettlementState } from './after-settlement.ts';

/** Identifies an operation on chain: an EntryPoint mines at most one operation with the same sender and nonce. */
export interface OperationSlot {
  readonly entryPoint: string;
  readonly paymaster: string;
  readonly sender: string;
  readonly nonce: bigint | string;
}

/** A mined operation. */
export interface MinedSlot extends OperationSlot {
  readonly blockNumber: number;
}

/** A decision with the hash of a mined operation. */
export interface HashedDecision {
  readonly seq: number;
  readonly settlement: SettlementState;
}

/** A decision that may have paid for a mined operation. */
export interface Candidate extends OperationSlot, HashedDecision {}

/** What is stored about the decisions of a range of blocks. */
export interface StoredDecisions<Mined> {
  /**
   * For each mined operation, the decisions with its hash: one, none, or one of each of several DApps. The chain does
   * not show which of these DApps paid.
   */
  readonly withHash: ReadonlyMap<Mined, readonly HashedDecision[]>;
  /**
   * At least every decision that has the slot of a mined operation and is reserved, or was settled or left unconfirmed
   * by the first block of the range or a later one. A re-org may have moved or replaced its operation.
   */
  readonly candidates: readonly Candidate[];
  /** The decisions that blocks of the range have settled or left unconfirmed so far. */
  readonly accountedFor: readonly number[];
}

/** The new state of a decision. */
export type SettlementChange<Mined> = { readonly seq: number } & (
  | { readonly to: 'reserved' }
  | { readonly to: 'settled'; readonly mined: Mined }
  /** `block` contains an operation that this decision may have paid for. */
  | { readonly to: 'unconfirmed'; readonly block: number }
);

/** How the decisions must change to agree with the blocks of a range. */
export interface SettledRange<Mined> {
  /** The changes in the order in which they are made: those that return to `reserved` come first. */
  readonly changes: readonly SettlementChange<Mined>[];
  /** Number of decisions that return to `reserved`. */
  readonly putBack: number;
  /** Newly found operations that belong to no certain decision, with the number of their candidates. */
  readonly unmatched: readonly { readonly mined: Mined; readonly decisions: number }[];
}

/** Distinguishes slots, ignoring letter case. */
const slotKey = ({ entryPoint, paymaster, sender, nonce }: OperationSlot): string =>
  [entryPoint, paymaster, sender, nonce].join(' ').toLowerCase();

/**
 * Applies mined operations to decisions.
 *
 * - A mined operation settles the decision with its hash.
 * - If several DApps have decisions with its hash, these become unconfirmed. If no decision has its hash, every
 *   candidate for its slot does. One of them paid for the operation, and it is unknown which.
 * - If a block of the range settled a decision or left it unconfirmed, and no mined operation matches the decision now,
 *   it returns to `reserved`.
 */
export const settleRange = <Mined extends MinedSlot>({
  withHash,
  candidates,
  accountedFor,
}: StoredDecisions<Mined>): SettledRange<Mined> => {
  const settled: SettlementChange<Mined>[] = [];
  const unconfirmed: SettlementChange<Mined>[] = [];
  const unmatched: { mined: Mined; decisions: number }[] = [];
  const bySlot = Map.groupBy(candidates, slotKey);
  for (const [mined, [first, ...others]] of withHash) {
    if (first !== undefined && others.length === 0) {
      settled.push({ seq: first.seq, to: 'settled', mined });
      continue;
    }
    const decisions = first === undefined ? (bySlot.get(slotKey(mined)) ?? []) : [first, ...others];
    for (const one of decisions) unconfirmed.push({ seq: one.seq, to: 'unconfirmed', block: mined.blockNumber });
    const isKnown = decisions.every(({ settlement }) => settlement === 'unconfirmed');
    if (!isKnown) unmatched.push({ mined, decisions: decisions.length });
  }
  const present = new Set([...settled, ...unconfirmed].map(({ seq }) => seq));
  const putBack = accountedFor.filter((seq) => !present.has(seq)).map((seq) => ({ seq, to: 'reserved' as const }));
  return { changes: [...putBack, ...settled, ...unconfirmed], putBack: putBack.length, unmatched };
};
