import fc from 'fast-check';
import { VERSIONS } from './versions.ts';
import { BEHAVIOURS } from './receiver.ts';

/** A value in one case of `one`; null in the others. */
const seldom = <T>(one: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: one - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });

const HOUR_MS = 3_600_000;

const limit = fc.record({
  type: fc.constantFrom('PAYMASTER', 'SMART_ACCOUNT'),
  thresholdType: fc.constantFrom('COUNT', 'NATIVE_ASSET'),
  /** Operations, or thousandths of the coin. */
  threshold: fc.integer({ min: 1, max: 4 }),
  hours: fc.constantFrom(1, 1, 3, 24),
});

const dapp = fc.record({
  // Most attackers go where tanks are.
  version: fc.oneof(
    { weight: 4, arbitrary: fc.constant('1.1.0' as const) },
    { weight: 3, arbitrary: fc.constant('1.0.0' as const) },
    { weight: 5, arbitrary: fc.constantFrom(...VERSIONS) },
  ),
  /** Two wallets for some DApps: some of them share one. */
  wallet: fc.nat(1),
  /** True: only `mint` of the game is sponsored. */
  whitelist: fc.boolean(),
  deployments: fc.boolean(),
  limits: fc.array(limit, { maxLength: 2 }),
  webhook: seldom(
    3,
    fc.record({
      /** A webhook of a rule may fail open; a registered one never does. */
      kind: fc.constantFrom('registered', 'rule', 'rule that fails open'),
      behaviour: fc.constantFrom(...BEHAVIOURS, 'true' as const, 'true' as const, 'true' as const),
      /** Its receiver is known by a name, which is looked up for each call. */
      byName: fc.boolean(),
    }),
  ),
});

/** What an operator has set before the attack. */
export const policy = fc.record({
  dapps: fc.array(dapp, { minLength: 1, maxLength: 3 }),
  /** Thousandths of the coin in each tank and deposit. */
  tank: fc.constantFrom<number[]>(5, 20, 200, 2_000),
  breaker: seldom(3, fc.record({ milli: fc.constantFrom(2, 5, 20), seconds: fc.constantFrom(60, 600, 3_600) })),
  /** Thousandths of the coin that one operation may cost at most; null: as the chain is set up. */
  operationCost: fc.constantFrom<(number | null)[]>(2, 40, null),
  /** Base fee at first, and the tip that the node suggests while no one pushes it. Millions of wei per gas. */
  baseFeeMwei: fc.constant<number>(1_000),
  tipMwei: fc.constantFrom<number[]>(20, 100, 250),
  /** How many calls to one webhook at once. */
  webhookMaxConcurrent: fc.constantFrom<number[]>(1, 32),
});

/** What an operator has set before the attack. */
export type Policy = typeof policy extends fc.Arbitrary<infer T> ? T : never;
/** One DApp of it. */
export type DappPolicy = Policy['dapps'][number];
/** A spending limit as the operator wrote it. */
export type LimitPolicy = DappPolicy['limits'][number];

/** A spending limit in force: a new one after each change, since a change starts a new cycle. */
export interface LimitInForce {
  readonly ruleId: string;
  readonly name: string;
  /** Counted up with every change. */
  readonly cycle: number;
  readonly policy: LimitPolicy;
  /** By the desk's clock, epoch ms. */
  readonly startMs: number;
}

/** A million wei: prices of gas are some thousands of them. */
export const MWEI = 10n ** 6n;
/** A thousandth of the coin, in wei. */
export const MILLI = 10n ** 15n;

/** The limit's threshold, in operations or in wei. */
export const thresholdOf = ({ policy: { thresholdType, threshold } }: LimitInForce): bigint =>
  BigInt(threshold) * (thresholdType === 'COUNT' ? 1n : MILLI);

/** Which of a limit's windows that moment of the desk's clock (epoch ms) belongs to; none is before the first. */
export const windowOf = ({ policy: { hours }, startMs }: LimitInForce, atMs: number): number =>
  Math.max(0, Math.floor((atMs - startMs) / (hours * HOUR_MS)));

/** How a limit is written at the service. */
export const limitData = ({ type, thresholdType, threshold, hours }: LimitPolicy) => ({
  type,
  thresholdType,
  threshold: thresholdType === 'COUNT' ? String(threshold) : `0.00${threshold}`,
  cycleDuration: { value: hours, unit: 'hour' as const },
});
