/** Results of decisions under the draft, each compared with the result at the time. */
export interface TallyStep {
  /** Sponsored both times. */
  sponsored: number;
  /** Denied both times, for any reason. */
  denied: number;
  nowSponsored: number;
  nowDenied: number;
  /** Could not be evaluated. */
  unknown: number;
}

export interface TalliedDecision {
  /** Epoch ms. */
  readonly at: number;
  readonly sender: string;
  readonly before: 'sponsored' | 'denied';
  /** What the operation costs if it is sponsored, in wei. */
  readonly costWei: bigint;
}

const emptyStep = (): TallyStep => ({ sponsored: 0, denied: 0, nowSponsored: 0, nowDenied: 0, unknown: 0 });

/** Counts what a draft changes, in steps of equal length. */
export class ThresholdTally {
  readonly from: number;
  readonly stepMs: number;
  readonly steps: readonly TallyStep[];
  readonly #total = emptyStep();
  readonly #cost = { before: 0n, after: 0n };
  readonly #senders = { nowSponsored: new Set<string>(), nowDenied: new Set<string>() };

  /** Starts with empty counts. @param from epoch ms @param to epoch ms, right after the last decision */
  constructor(from: number, to: number, steps: number) {
    this.from = from;
    this.stepMs = Math.max(1, Math.ceil((to - from) / steps));
    this.steps = Array.from({ length: steps }, emptyStep);
  }

  /**
   * Counts a decision.
   * @param decision at the time
   * @param after its result under the threshold
   * @param weight how many decisions this one stands for
   */
  add(decision: TalliedDecision, after: 'sponsored' | 'denied' | 'unknown', weight = 1): void {
    const { at, sender, before, costWei } = decision;
    const isSponsored = (after === 'unknown' ? before : after) === 'sponsored';
    const cost = costWei * BigInt(weight);
    if (before === 'sponsored') this.#cost.before += cost;
    if (isSponsored) this.#cost.after += cost;
    const change = after === 'sponsored' ? 'nowSponsored' : 'nowDenied';
    const isChanged = after !== 'unknown' && after !== before;
    if (isChanged) this.#senders[change].add(sender);
    const result = isChanged ? change : after;
    this.#total[result] += weight;
    const step = this.steps[Math.floor((at - this.from) / this.stepMs)];
    if (step !== undefined) step[result] += weight;
  }

  report() {
    const { sponsored, denied, ...changed } = this.#total;
    const { before, after } = this.#cost;
    return {
      decisions: sponsored + denied + changed.nowSponsored + changed.nowDenied + changed.unknown,
      same: sponsored + denied,
      ...changed,
      costWei: { before: String(before), after: String(after) },
      senders: { nowSponsored: this.#senders.nowSponsored.size, nowDenied: this.#senders.nowDenied.size },
    };
  }
}
