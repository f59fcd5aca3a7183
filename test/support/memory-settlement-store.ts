import type {
  MinedUserOperation,
  ScannedRange,
  SettlementState,
  SettlementStore,
} from '../../src/engine/store/settlement-store.ts';
import { type Address, type Hex, sameAddress } from '../../src/shared/schema/hex.ts';

/** What is kept of a sponsored decision when it is made. */
export interface Sponsorship {
  readonly chainId: number;
  /** Replaced by the hash under which it was mined, if that is another one. */
  userOpHash: Hex;
  readonly entryPoint: Address;
  readonly paymaster: Address;
  readonly sender: Address;
  readonly nonce: bigint;
  readonly maxCost: bigint;
  /** Unix seconds. */
  readonly validUntil: number;
  /** Epoch ms. */
  readonly at: number;
}

type Settlement = 'reserved' | 'settled' | 'released' | 'unconfirmed';

/** A sponsored decision and what became of it; `history` has every settlement it had, the newest last. */
export interface SponsoredDecision extends Sponsorship {
  settlement: Settlement;
  mined: MinedUserOperation | undefined;
  readonly history: Settlement[];
}

/** What an EntryPoint lets be mined once. */
type Slot = Pick<MinedUserOperation, 'entryPoint' | 'paymaster' | 'sender' | 'nonce'>;

const isSameSlot = (a: Slot, b: Slot): boolean =>
  a.nonce === b.nonce &&
  (['entryPoint', 'paymaster', 'sender'] as const).every((name) => sameAddress(a[name], b[name]));

/** Settlement kept in memory, with running totals as a database would keep them, so that counting twice shows. */
export class MemorySettlementStore implements SettlementStore {
  readonly decisions: SponsoredDecision[] = [];
  readonly cursors = new Map<number, number>();
  /** Wei promised and wei spent. */
  reservedWei = 0n;
  spentWei = 0n;

  reserve(sponsorship: Sponsorship): SponsoredDecision {
    const decision: SponsoredDecision = { ...sponsorship, settlement: 'reserved', mined: undefined, history: [] };
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

  async applySettlements({ chainId, fromBlock, toBlock, mined, cursor }: ScannedRange): Promise<number> {
    const hashes = new Set(mined.map(({ userOpHash }) => userOpHash));
    const gone = this.#of(chainId).filter(
      ({ userOpHash, mined: { blockNumber } = { blockNumber: -1 } }) =>
        blockNumber >= fromBlock && blockNumber <= toBlock && !hashes.has(userOpHash),
    );
    for (const decision of gone) this.#become(decision, 'reserved', undefined);
    for (const operation of mined) {
      const same = this.#of(chainId).filter(({ userOpHash }) => userOpHash === operation.userOpHash);
      const fitting = this.#of(chainId).filter((one) => one.settlement === 'reserved' && isSameSlot(one, operation));
      const decision = same.find(({ settlement }) => settlement === 'settled') ?? same[0] ?? fitting[0];
      if (decision === undefined) continue;
      decision.userOpHash = operation.userOpHash;
      this.#become(decision, 'settled', operation);
    }
    this.cursors.set(chainId, cursor);
    return gone.length;
  }

  async moveSettlementCursor(chainId: number, cursor: number): Promise<void> {
    this.cursors.set(chainId, cursor);
  }

  async expireReservations({
    chainId,
    validUntilBefore,
    to,
  }: Parameters<SettlementStore['expireReservations']>[0]): Promise<number> {
    const expired = this.#of(chainId).filter(
      ({ settlement, validUntil }) => settlement === 'reserved' && validUntil !== 0 && validUntil < validUntilBefore,
    );
    for (const decision of expired) this.#become(decision, to, undefined);
    return expired.length;
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
