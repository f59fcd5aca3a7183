import type { SettlementStore } from '../../src/engine/store/tables/settlements.ts';
import type {
  AppliedRange,
  MinedUserOperation,
  OpenReservation,
  ScannedRange,
  SettlementState,
} from '../../src/engine/store/settlement-store.ts';
import { type Address, type Hex, sameAddress } from '../../src/shared/schema/hex.ts';

/** What is stored of a sponsored decision when it is made. */
export interface Sponsorship {
  readonly chainId: number;
  readonly userOpHash: Hex;
  readonly entryPoint: Address;
  readonly paymaster: Address;
  readonly sender: Address;
  readonly nonce: bigint;
  readonly maxCost: bigint;
  /** Unix seconds; 0: never. */
  readonly validUntil: number;
  /** Epoch ms. */
  readonly at: number;
}

type Settlement = 'reserved' | 'settled' | 'released' | 'unconfirmed';

/** A sponsored decision with its settlement; `history` has all its settlements, the newest last. */
export interface SponsoredDecision extends Sponsorship {
  readonly seq: number;
  settlement: Settlement;
  /** The operation that settled it or made it unconfirmed. */
  mined: MinedUserOperation | undefined;
  /** Its own hash, and hashes of operations that were found to be the same. */
  readonly hashes: Hex[];
  readonly history: Settlement[];
}

/** An EntryPoint lets one operation with these values be mined. */
type Slot = Pick<MinedUserOperation, 'entryPoint' | 'paymaster' | 'sender' | 'nonce'>;

const isSameSlot = (a: Slot, b: Slot): boolean =>
  a.nonce === b.nonce &&
  (['entryPoint', 'paymaster', 'sender'] as const).every((name) => sameAddress(a[name], b[name]));

/** Settlement in memory. Keeps running totals as a database would, so that counting twice shows. */
export class MemorySettlementStore implements SettlementStore {
  readonly decisions: SponsoredDecision[] = [];
  readonly cursors = new Map<number, number>();
  /** Wei reserved and wei spent. */
  reservedWei = 0n;
  spentWei = 0n;

  /** Adds a decision. */
  reserve(sponsorship: Sponsorship, seq = this.decisions.length + 1): SponsoredDecision {
    const hashes = [sponsorship.userOpHash];
    const decision: SponsoredDecision = {
      ...sponsorship,
      seq,
      settlement: 'reserved',
      mined: undefined,
      hashes,
      history: [],
    };
    this.decisions.push(decision);
    this.#count(decision, 1n);
    decision.history.push('reserved');
    return decision;
  }

  async settlementChains(): Promise<number[]> {
    const reserved = this.decisions.filter(({ settlement }) => settlement === 'reserved');
    return [...new Set([...this.cursors.keys(), ...reserved.map(({ chainId }) => chainId)])];
  }

  async settlementState(chainId: number): Promise<SettlementState> {
    const decisions = this.#of(chainId);
    return {
      cursor: this.cursors.get(chainId),
      oldestReservedAt: decisions.find(({ settlement }) => settlement === 'reserved')?.at,
      entryPoints: [...new Set(decisions.map(({ entryPoint }) => entryPoint))],
      paymasters: [...new Set(decisions.map(({ paymaster }) => paymaster))],
    };
  }

  async operationsWithoutDecision(
    chainId: number,
    mined: readonly MinedUserOperation[],
  ): Promise<MinedUserOperation[]> {
    return mined.filter(({ userOpHash }) => this.#withHash(chainId, userOpHash) === undefined);
  }

  async applySettlements({ chainId, fromBlock, toBlock, mined, cursor }: ScannedRange): Promise<AppliedRange> {
    const known = new Map<SponsoredDecision, MinedUserOperation>();
    const candidates = new Map<SponsoredDecision, MinedUserOperation>();
    for (const operation of mined) {
      const hashes = [operation.userOpHash, ...(operation.sponsoredHashes ?? [])];
      const [decision] = hashes.flatMap((hash) => this.#withHash(chainId, hash) ?? []);
      if (decision !== undefined) {
        decision.hashes.push(operation.userOpHash);
        known.set(decision, operation);
        continue;
      }
      for (const one of this.#of(chainId)) {
        const isOpen = one.settlement === 'reserved' || (one.mined?.blockNumber ?? -1) >= fromBlock;
        if (isOpen && isSameSlot(one, operation)) candidates.set(one, operation);
      }
    }
    const gone = this.#of(chainId).filter((decision) => {
      const { blockNumber } = decision.mined ?? { blockNumber: -1 };
      const isInRange = blockNumber >= fromBlock && blockNumber <= toBlock;
      return isInRange && !known.has(decision) && !candidates.has(decision);
    });
    for (const decision of gone) this.#become(decision, 'reserved', undefined);
    for (const [decision, operation] of known) this.#become(decision, 'settled', operation);
    const fresh = new Set([...candidates].filter(([one]) => one.settlement !== 'unconfirmed').map(([, two]) => two));
    for (const [decision, operation] of candidates) this.#become(decision, 'unconfirmed', operation);
    this.cursors.set(chainId, cursor);
    const decisionsOf = (operation: MinedUserOperation) => [...candidates.values()].filter((one) => one === operation);
    const unmatched = [...fresh].map((one) => ({ mined: one, decisions: decisionsOf(one).length }));
    return { putBack: gone.length, unmatched };
  }

  async countUnmatched(chainId: number, from: number): Promise<number> {
    return this.#of(chainId).filter(
      (one) => one.settlement === 'unconfirmed' && one.mined !== undefined && one.at >= from,
    ).length;
  }

  async moveSettlementCursor(chainId: number, cursor: number): Promise<void> {
    this.cursors.set(chainId, cursor);
  }

  async openReservations({
    chainId,
    after,
    validUntilBefore,
    most,
  }: Parameters<SettlementStore['openReservations']>[0]): Promise<OpenReservation[]> {
    return this.decisions
      .map((decision) => ({ ...decision }))
      .filter(({ seq, settlement, validUntil, chainId: its }) => {
        const isBehind = validUntil > after.validUntil || (validUntil === after.validUntil && seq > after.seq);
        return its === chainId && settlement === 'reserved' && isBehind && validUntil < validUntilBefore;
      })
      .sort((one, other) => one.validUntil - other.validUntil || one.seq - other.seq)
      .slice(0, most);
  }

  async endReservations(seqs: readonly number[], to: 'released' | 'unconfirmed'): Promise<number> {
    const decisions = this.decisions.filter(({ seq }) => seqs.includes(seq));
    const reserved = decisions.filter(({ settlement }) => settlement === 'reserved');
    for (const decision of reserved) this.#become(decision, to, undefined);
    return reserved.length;
  }

  /** The decision with a hash: the settled one, else the oldest that is reserved, unconfirmed or, last, released. */
  #withHash(chainId: number, hash: Hex): SponsoredDecision | undefined {
    const same = this.#of(chainId).filter(({ hashes }) => hashes.includes(hash));
    const first = (wanted: Settlement) => same.find(({ settlement }) => settlement === wanted);
    return first('settled') ?? first('reserved') ?? first('unconfirmed') ?? same[0];
  }

  #of(chainId: number): SponsoredDecision[] {
    return this.decisions.filter((decision) => decision.chainId === chainId);
  }

  #become(decision: SponsoredDecision, settlement: Settlement, mined: MinedUserOperation | undefined): void {
    this.#count(decision, -1n);
    if (decision.settlement !== settlement) decision.history.push(settlement);
    decision.settlement = settlement;
    decision.mined = mined;
    this.#count(decision, 1n);
  }

  #count({ settlement, maxCost, mined }: SponsoredDecision, sign: bigint): void {
    if (settlement === 'reserved') this.reservedWei += sign * maxCost;
    if (settlement === 'unconfirmed') this.spentWei += sign * maxCost;
    if (settlement === 'settled') this.spentWei += sign * (mined?.actualGasCost ?? 0n);
  }
}
