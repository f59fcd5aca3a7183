import type { SettlementState } from '../ledger/after-settlement.ts';
import type { EntryBody } from './entry.ts';

type Settlement = EntryBody<'settlement'>;
type State = Omit<Settlement, 'decision'>;

/** What a sponsored decision may become next: a re-org takes blocks back, and the chain outdoes a release. */
const NEXT: Readonly<Record<SettlementState, readonly SettlementState[]>> = {
  reserved: ['settled', 'released', 'unconfirmed'],
  settled: ['settled', 'reserved', 'unconfirmed'],
  unconfirmed: ['settled', 'reserved', 'unconfirmed'],
  released: ['settled'],
};

/** What a settlement says besides its state: whether it has a cost, and a block. Undefined: it may. */
const FORM: Readonly<Record<SettlementState, { readonly cost: boolean; readonly block: boolean | undefined }>> = {
  reserved: { cost: false, block: false },
  settled: { cost: true, block: true },
  unconfirmed: { cost: false, block: undefined },
  released: { cost: false, block: false },
};

/** What has become of a decision; all null where it is not sponsored. */
type Settled = { readonly [Field in keyof State]: State[Field] | null };

/** A sponsored decision, and what has become of it. */
interface Sponsored extends State {
  /** Undefined where only its later settlements are known. */
  readonly maxCostWei: bigint | undefined;
  readonly userOpHash: string | null;
  /** False: it was made before the log began, so what became of it until then is not known. */
  readonly isStateKnown: boolean;
}

const isForm = (value: unknown, has: boolean | undefined): boolean => has === undefined || (value !== null) === has;

const faultOfForm = ({ settlement, actualCostWei, block }: State): string | undefined => {
  const form = FORM[settlement];
  if (!isForm(actualCostWei, form.cost)) return `It is ${settlement} ${form.cost ? 'without' : 'with'} a cost`;
  if (!isForm(block, form.block)) return `It is ${settlement} ${form.block === true ? 'without' : 'with'} a block`;
  return block !== null && block < 0 ? `Its block is ${block}` : undefined;
};

const faultOfCost = ({ actualCostWei }: State, before: Sponsored | undefined): string | undefined => {
  const cost = BigInt(actualCostWei ?? 0);
  if (cost < 0n) return `It cost ${cost} wei`;
  const most = before?.maxCostWei;
  return most !== undefined && cost > most ? `It cost ${cost} wei, and its maximum is ${most}` : undefined;
};

const faultOfOrder = (after: State, before: Sponsored | undefined): string | undefined => {
  if (before?.isStateKnown !== true) return undefined;
  const { settlement, actualCostWei, block } = after;
  const isSame = before.settlement === settlement && before.actualCostWei === actualCostWei && before.block === block;
  if (!isSame && NEXT[before.settlement].includes(settlement)) return undefined;
  return `It is ${before.settlement}, and cannot become ${settlement}${isSame ? ' again' : ''}`;
};

/** What becomes of sponsored decisions, entry by entry. */
export class SettlementCheck {
  readonly #decisions = new Map<string, Sponsored>();
  /** How many decisions with a hash are reserved; of settled ones, which. */
  readonly #reserved = new Map<string, number>();
  readonly #settled = new Map<string, string>();
  #reservedTwice = 0;

  /** How many operations were reserved while they were reserved already. */
  get reservedTwice(): number {
    return this.#reservedTwice;
  }

  #count(userOpHash: string, change: 1 | -1): void {
    const count = (this.#reserved.get(userOpHash) ?? 0) + change;
    if (count <= 0) this.#reserved.delete(userOpHash);
    else this.#reserved.set(userOpHash, count);
  }

  /** Takes a sponsored decision. @param isStateKnown false for one that was made before the log began */
  add(id: string, maxCostWei: string | null, userOpHash: string | null, isStateKnown: boolean): void {
    const reserved = { settlement: 'reserved', actualCostWei: null, block: null } as const;
    const cost = maxCostWei === null ? undefined : BigInt(maxCostWei);
    this.#decisions.set(id, { ...reserved, maxCostWei: cost, userOpHash, isStateKnown });
    if (userOpHash === null || !isStateKnown) return;
    if (this.#reserved.has(userOpHash)) this.#reservedTwice += 1;
    this.#count(userOpHash, 1);
  }

  /** What has become of a decision: nothing of one that is not sponsored. */
  stateOf(id: string): Settled | 'unknown' {
    const known = this.#decisions.get(id);
    if (known?.isStateKnown === false) return 'unknown';
    const { settlement = null, actualCostWei = null, block = null } = known ?? {};
    return { settlement, actualCostWei, block };
  }

  /** Takes a settlement. @returns what is wrong with it, in words; undefined where nothing is */
  settle({ decision, ...after }: Settlement): string | undefined {
    const before = this.#decisions.get(decision);
    const unknown = { maxCostWei: undefined, userOpHash: null, isStateKnown: false };
    this.#decisions.set(decision, { ...unknown, ...before, ...after, isStateKnown: true });
    const fault = faultOfForm(after) ?? faultOfCost(after, before) ?? faultOfOrder(after, before);
    const hash = before?.userOpHash ?? null;
    return hash === null ? fault : (this.#follow(decision, hash, before, after) ?? fault);
  }

  /** Keeps what is reserved and what is settled under a hash. @returns what is wrong with that, in words */
  #follow(decision: string, hash: string, before: Sponsored | undefined, { settlement }: State): string | undefined {
    const wasReserved = before?.isStateKnown === true && before.settlement === 'reserved';
    if (wasReserved && settlement !== 'reserved') this.#count(hash, -1);
    if (!wasReserved && settlement === 'reserved') this.#count(hash, 1);
    const other = this.#settled.get(hash);
    if (settlement === 'settled') this.#settled.set(hash, decision);
    else if (other === decision) this.#settled.delete(hash);
    if (settlement !== 'settled' || other === undefined || other === decision) return undefined;
    return `The same operation is settled with ${other} already, and can be mined once`;
  }
}
