import type { BeforeAndAfter } from './try-policy.ts';

/** Number of operations sponsored in a period, and the number that the draft would have sponsored. */
export interface TrialStep {
  before: number;
  after: number;
}

/** Counts past decisions and the draft's decisions over time, in steps of equal length. */
export class TrialSeries {
  readonly from: number;
  readonly stepMs: number;
  readonly steps: TrialStep[];

  /** Starts with empty counts. @param from epoch ms @param to epoch ms, right after the last decision */
  constructor(from: number, to: number, steps: number) {
    this.from = from;
    this.stepMs = Math.max(1, Math.ceil((to - from) / steps));
    this.steps = Array.from({ length: steps }, () => ({ before: 0, after: 0 }));
  }

  add(at: number, { before, after }: BeforeAndAfter): void {
    const step = this.steps[Math.floor((at - this.from) / this.stepMs)];
    if (step === undefined) return;
    if (before === 'sponsored') step.before += 1;
    if (after === 'sponsored') step.after += 1;
  }
}
