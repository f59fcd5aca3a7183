/** What an operator loses by, beyond the policy. */
export const VIOLATIONS = {
  SIGNED_WITHOUT_NODE: 'signed though the node did not answer',
  SIGNED_WHILE_PAUSED: 'signed while the operator had paused sponsorship',
  SIGNED_AGAINST_WEBHOOK: 'signed though the webhook did not verify it',
  SIGNED_ON_DOUBLE_VERDICT: 'signed though the webhook said no, and then yes',
  SIGNED_OUTSIDE_WHITELIST: 'signed a call that no whitelisted method is',
  SIGNED_FOR_ANOTHER_WALLET: 'signed for a wallet that is not the DApp’s',
  SIGNED_WITH_ANOTHER_KEY: 'signed with a key that was replaced',
  SIGNED_ABOVE_CAP: 'signed above the most that one operation may cost',
  SIGNED_ABOVE_BREAKER: 'signed for more within the breaker’s time than its amount',
  PAID_UNSIGNED: 'a paymaster paid for an operation that the desk had not signed in a decision',
  PAID_ABOVE_MAXIMUM: 'an operation cost more than was reserved for it',
  PAID_BY_ANOTHER_WALLET: 'an operation was debited to another tank',
  LIMIT_EXCEEDED: 'operations signed in one window of a limit cost more than it allows',
  BUNDLER_GAIN: 'a bundler has more of what tanks paid than the share that is allowed',
  TANK_MISCOUNTED: 'a tank does not hold what went in, less what operations and the operator took',
  SETTLED_WRONGLY: 'a decision is not settled by what its operation cost',
  NEVER_RELEASED: 'a reservation outlived its operation',
  USAGE_WRONG: 'the usage of a limit is not what was signed and mined in its window',
  HONEST_UNANSWERED: 'an honest request was not answered',
  EXPOSURE_WRONG: 'what is outstanding is not what may still be mined',
} as const;

/** A kind of violation. */
export type ViolationCode = keyof typeof VIOLATIONS;

/** An attack that succeeded: what happened, step by step. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly code: ViolationCode;
  readonly detail: string;
  constructor(code: ViolationCode, detail: string) {
    super(`${code}: ${VIOLATIONS[code]}: ${detail}`);
    this.code = code;
    this.detail = detail;
  }
}

/** Which kinds are counted, and do not end a run: to look for what is rarer than they are. */
export interface IgnoredViolations {
  readonly ignored: Map<ViolationCode, number>;
}

/** Ends the run, unless violations of this kind are ignored. @throws Violation */
export const blame = ({ ignored }: IgnoredViolations, code: ViolationCode, detail: string): void => {
  const before = ignored.get(code);
  if (before === undefined) throw new Violation(code, detail);
  ignored.set(code, before + 1);
};
