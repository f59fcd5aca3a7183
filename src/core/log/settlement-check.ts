import type { SettlementState } from '../ledger/after-settlement.ts';
import type { EntryBody } from './entry.ts';

type Settlement = EntryBody<'settlement'>;
type State = Omit<Settlement, 'decision'>;

/** The states that may follow each state. A re-org undoes a settlement, and a mined operation overrides a release. */
const NEXT: Readonly<Record<SettlementState, readonly SettlementState[]>> = {
  reserved: ['settled', 'released', 'unconfirmed'],
  settled: ['settled', 'reserved', 'unconfirmed'],
  unconfirmed: ['settled', 'reserved', 'unconfirmed'],
  released: ['settled'],
};

/** Whether a settlement in a state has a cost and a block. Undefined: it may have them or not. */
const FORM: Readonly<Record<SettlementState, { readonly cost: boolean; readonly block: boolean | undefined }>> = {
  reserved: { cost: false, block: false },
  settled: { cost: true, block: true },
  unconfirmed: { cost: false, block: undefined },
  released: { cost: false, block: false },
};

/** The state of a decision; all null if it is not sponsored. */
type DecisionState = { readonly [Field in keyof State]: State[Field] | null };

interface SponsoredState extends State {
  /** Undefined if the log contains only later settlements of the decision. */
  readonly maxCostWei: bigint | undefined;
  readonly userOpHash: string | null;
}

const isForm = (value: unknown, has: boolean | undefined): boolean => has === undefined || (value !== null) === has;

const faultOfForm = ({ settlement, actualCostWei, block }: State): string | undefined => {
  const form = FORM[settlement];
  if (!isForm(actualCostWei, form.cost)) return `It is ${settlement} ${form.cost ? 'without' : 'with'} a cost`;
  if (!isForm(block, form.block)) return `It is ${settlement} ${form.block === true ? 'without' : 'with'} a block`;
  return block !== null && block < 0 ? `Its block is ${block}` : undefined;
};

const faultOfCost = ({ actualCostWei }: State, before: SponsoredState | undefined): string | undefined => {
  const cost = BigInt(actualCostWei ?? 0);
  if (cost < 0n) return `It cost ${cost} wei`;
  const most = before?.maxCostWei;
  return most !== undefined && cost > most ? `It cost ${cost} wei, and its maximum is ${most}` : undefined;
};

const faultOfOrder = (after: State, before: SponsoredState | undefined): string | undefined => {
  if (before === undefined) return undefined;
  const { settlement, actualCostWei, block } = after;
  const isSame = before.settlement === settlement && before.actualCostWei === actualCostWei && before.block === block;
  if (!isSame && NEXT[before.settlement].includes(settlement)) return undefined;
  return `It is ${before.settlement}, and cannot become ${settlement}${isSame ? ' again' : ''}`;
};

/** The states of sponsored decisions after each entry. */
export class SettlementCheck {
  readonly #decisions = new Map<string, SponsoredState>();
  /** By operation hash: the number of reserved decisions, and the settled decision. */
  readonly #reserved = new Map<string, number>();
  readonly #settled = new Map<string, string>();
  #reservedTwice = 0;

  /** Number of operations that were reserved again while they were reserved. */
  get reservedTwice(): number {
    return this.#reservedTwice;
  }

  #count(userOpHash: string, change: 1 | -1): void {
    const count = (this.#reserved.get(userOpHash) ?? 0) + change;
    if (count <= 0) this.#reserved.delete(userOpHash);
    else this.#reserved.set(userOpHash, count);
  }

  /** Adds a sponsored decision. */
  add(id: string, maxCostWei: string | null, userOpHash: string | null): void {
    const reserved = { settlement: 'reserved', actualCostWei: null, block: null } as const;
    const cost = maxCostWei === null ? undefined : BigInt(maxCostWei);
    this.#decisions.set(id, { ...reserved, maxCostWei: cost, userOpHash });
    if (userOpHash === null) return;
    if (this.#reserved.has(userOpHash)) this.#reservedTwice += 1;
    this.#count(userOpHash, 1);
  }

  /** The state of a decision; all null if the decision is not sponsored. */
  stateOf(id: string): DecisionState {
    const { settlement = null, actualCostWei = null, block = null } = this.#decisions.get(id) ?? {};
    return { settlement, actualCostWei, block };
  }

  /** Applies a settlement. @returns what is wrong with it, in words; undefined if nothing is */
  settle({ decision, ...after }: Settlement): string | undefined {
    const before = this.#decisions.get(decision);
    this.#decisions.set(decision, { maxCostWei: undefined, userOpHash: null, ...before, ...after });
    const fault = faultOfForm(after) ?? faultOfCost(after, before) ?? faultOfOrder(after, before);
    const hash = before?.userOpHash ?? null;
    return hash === null ? fault : (this.#follow(decision, hash, before, after) ?? fault);
  }

  /**
   * Records which decisions are reserved and settled under an operation hash. @returns what is wrong with that, in
   * words
   */
  #follow(
    decision: string,
    hash: string,
    before: SponsoredState | undefined,
    { settlement }: State,
  ): string | undefined {
    const wasReserved = before?.settlement === 'reserved';
    if (wasReserved && settlement !== 'reserved') this.#count(hash, -1);
    if (!wasReserved && settlement === 'reserved') this.#count(hash, 1);
    const other = this.#settled.get(hash);
    if (settlement === 'settled') this.#settled.set(hash, decision);
    else if (other === decision) this.#settled.delete(hash);
    if (settlement !== 'settled' || other === undefined || other === decision) return undefined;
    return `The same operation is settled with ${other} already, and can be mined once`;
  }
}
