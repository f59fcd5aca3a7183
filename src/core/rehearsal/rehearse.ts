import type { GasScheduleName } from '../../shared/schema/gas-schedule.ts';
import type { PastDecision } from '../decision/past-decision.ts';
import { gasSchedules } from '../gas-schedules/schedules.ts';
import { PolicyTrial } from '../trial/try-policy.ts';
import { type ExtraGas, type Rehearsed, underSchedule } from './under-schedule.ts';

/** How many operations something affects, and how much gas they need more for it, decimal. */
interface Cause {
  readonly operations: number;
  readonly gas: string;
}

/** An operation that would have been refused. */
interface Refusal {
  readonly id: string;
  /** Epoch ms. */
  readonly at: number;
  readonly sender: string;
  readonly code: string;
  readonly rule: string;
}

/** What another gas schedule would have changed for the past operations of a DApp. Leaves out failed requests. */
export interface RehearsalReport {
  readonly schedule: GasScheduleName;
  readonly decisions: number;
  /** Decisions that could not be evaluated. */
  readonly unknown: number;
  /** Operations that were sponsored, and would have been denied. */
  readonly refused: {
    readonly operations: number;
    readonly senders: number;
    readonly byCode: Readonly<Record<string, number>>;
    /** The first 1,000, in order. */
    readonly first: readonly Refusal[];
  };
  /** Operations that were denied, and would have been sponsored. */
  readonly nowSponsored: number;
  /** Sponsored operations that would have cost more, whether or not they would have been refused. */
  readonly moreExpensive: {
    readonly operations: number;
    /** At least. */
    readonly gas: string;
    /** At least, at the price that the operation paid. */
    readonly wei: string;
    readonly byCause: Readonly<Record<keyof ExtraGas, Cause>>;
  };
  /** What the amounts do not contain. */
  readonly leftOut: readonly string[];
}

const LEFT_OUT = [
  'Storage and accounts that calls create, and storage that they change: what they write is not part of an operation.',
  'Code and storage of new accounts beyond those of the smallest proxy.',
  'Changed prices of account validation and of paymaster contracts.',
  'Accounts of authorisations are assumed to exist only if they have signed before, unless the record says.',
];

const CAUSES = ['data', 'authorization', 'account'] as const;

/** Replays past decisions of a DApp under another gas schedule, each by its own policy, in order. */
export class Rehearsal {
  readonly #schedule: GasScheduleName;
  readonly #trial: PolicyTrial;
  #rehearsed: Rehearsed | undefined;
  readonly #byCause = { data: [0, 0n], authorization: [0, 0n], account: [0, 0n] } as Record<
    keyof ExtraGas,
    [operations: number, gas: bigint]
  >;
  readonly #more = { operations: 0, gas: 0n, wei: 0n };

  /** Starts without decisions. */
  constructor(schedule: GasScheduleName) {
    this.#schedule = schedule;
    this.#trial = new PolicyTrial(undefined, undefined, () => {
      if (this.#rehearsed === undefined) throw new Error('a decision is tried before it is rehearsed');
      return this.#rehearsed.facts;
    });
  }

  /** Rehearses the next decision. */
  add(decision: PastDecision): void {
    const { facts, policy } = decision;
    this.#rehearsed = facts && policy && underSchedule(facts, policy, gasSchedules[this.#schedule]);
    this.#trial.add(decision);
    if (this.#rehearsed !== undefined && decision.outcome === 'sponsored') this.#count(this.#rehearsed);
  }

  #count({ extra, pricePerGasWei }: Rehearsed): void {
    const gas = extra.data + extra.authorization + extra.account;
    if (gas <= 0n) return;
    this.#more.operations += 1;
    this.#more.gas += gas;
    this.#more.wei += gas * pricePerGasWei;
    for (const cause of CAUSES) {
      if (extra[cause] === 0n) continue;
      this.#byCause[cause][0] += 1;
      this.#byCause[cause][1] += extra[cause];
    }
  }

  /** The report on the decisions so far. */
  report(): RehearsalReport {
    const { decisions, unknown, nowDenied, nowSponsored, senders } = this.#trial.report();
    const refusals = this.#trial.flips.filter(({ to }) => to === 'denied');
    const codes = this.#trial.deniedByCode;
    const { operations, gas, wei } = this.#more;
    const causes = CAUSES.map((cause): [keyof ExtraGas, Cause] => {
      const [count, more] = this.#byCause[cause];
      return [cause, { operations: count, gas: String(more) }];
    });
    return {
      schedule: this.#schedule,
      decisions,
      unknown,
      refused: {
        operations: nowDenied,
        senders: senders.nowDenied,
        byCode: Object.fromEntries(codes),
        first: refusals.map(({ id, at, sender, code, rule }) => ({ id, at, sender, code, rule })),
      },
      nowSponsored,
      moreExpensive: {
        operations,
        gas: String(gas),
        wei: String(wei),
        byCause: Object.fromEntries(causes) as Record<keyof ExtraGas, Cause>,
      },
      leftOut: LEFT_OUT,
    };
  }
}
