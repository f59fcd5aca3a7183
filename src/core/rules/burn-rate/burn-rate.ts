import { type DenialRows, type Evidence, areUsed, coins, units } from '../../../shared/denials.ts';
import { knownChains } from '../../../shared/chains.ts';
import { weiToDecimal } from '../../../shared/schema/decimal.ts';
import { BREAKER_REASON, CHAIN_BREAKER_REASON } from '../../../shared/words/breaker.ts';
import { spanWords } from '../../../shared/words/span.ts';
import { LEAST_OPERATIONS, breakerOf } from './breaker.ts';
import { type AccountKey, type Reservation, partAt } from '../../ledger/account.ts';
import { type CheckResult, type RuleInput, type RuleKind, deny, pass } from '../rule.ts';

/**
 * If a chain has several DApps, each may sign for the threshold divided by this number, so that no DApp can trip the
 * chain's breaker alone.
 */
const DAPP_PART = 2n;

/**
 * The command that sets a breaker with room for this amount. A DApp may use only a part of the threshold, so for a
 * DApp's amount the threshold must be higher than the amount.
 */
const raised = ({ chainId, seconds, dapp }: Evidence, wei: bigint): string =>
  `"gasdesk chain set ${String(chainId)} --breaker ${weiToDecimal(wei * (dapp === undefined ? 1n : DAPP_PART))}/${String(seconds)}s"`;

const wanted = ({ used, amount }: Evidence): bigint => BigInt(String(used)) + BigInt(String(amount));

const checked = (evidence: Evidence, resume: string): string =>
  `The operator checks what used the amount, then runs "${resume}", which restarts the count. ` +
  `If the traffic is legitimate, the operator raises the breaker first: ${raised(evidence, wanted(evidence))}.`;

/** Explains the origin of a threshold that the operator has not set. */
const originWords = ({ origin, dapp, ...evidence }: Evidence): string => {
  if (origin === undefined) return '';
  const whole =
    origin === 'deposits'
      ? `a quarter of what the chain's gas tanks hold, ${coins(evidence.depositsWei, evidence)}`
      : `what ${LEAST_OPERATIONS} usual operations may cost`;
  return ` The amount is ${dapp === undefined ? 'the default' : 'half of the default'}: ${whole}.`;
};

const denials = {
  BURN_RATE_EXCEEDED_BY_DAPP: (evidence) => ({
    message:
      `The burn-rate breaker of the chain lets Gasdesk sign for ${units(evidence, 'threshold')} per ${spanWords(Number(evidence.seconds))} for each DApp; ` +
      `${areUsed(evidence)}, and this operation takes ${units(evidence, 'amount')}. Sponsorship for ${String(evidence.dapp)} is paused.${originWords(evidence)}`,
    hint: checked(evidence, `gasdesk resume --dapp ${String(evidence.paymasterId)}`),
  }),
  BURN_RATE_EXCEEDED: (evidence) => ({
    message:
      `The burn-rate breaker of the chain lets Gasdesk sign for ${units(evidence, 'threshold')} per ${spanWords(Number(evidence.seconds))}; ` +
      `${areUsed(evidence)}, and this operation takes ${units(evidence, 'amount')}. Every DApp on this chain is paused.${originWords(evidence)}`,
    hint: checked(evidence, 'gasdesk resume'),
  }),
  BURN_RATE_TOO_SMALL: (evidence) => ({
    message:
      `The burn-rate breaker of the chain lets Gasdesk sign for ${units(evidence, 'threshold')} per ${spanWords(Number(evidence.seconds))}${evidence.dapp === undefined ? '' : ' for each DApp'}, ` +
      `less than the ${units(evidence, 'amount')} that this operation may take.${originWords(evidence)}`,
    hint: `Send the operation with lower gas limits and fees; waiting does not help. To allow it, the operator runs ${raised(evidence, BigInt(String(evidence.amount)))}.`,
  }),
} satisfies DenialRows;

type Result = CheckResult<keyof typeof denials>;

/** The amount signed for on a chain within a period, by all DApps or by one, and its limit. */
export interface BurnRateFacts {
  readonly chainId: number;
  /** In wei. */
  readonly threshold: bigint;
  readonly seconds: number;
  /** Sum of the maximum costs signed within the period, in wei. */
  readonly used: bigint;
  /** The maximum cost of this operation, in wei. */
  readonly amount: bigint;
  /** Name of the DApp if the limit is the part of one DApp; undefined if it covers all DApps together. */
  readonly dapp?: string | undefined;
  /** The id of that DApp, or undefined. */
  readonly paymasterId?: string | undefined;
  /** Where the default threshold comes from; undefined if the operator has set it. */
  readonly origin?: 'deposits' | 'operations' | undefined;
  /** Total balance of the chain's gas tanks, in wei; undefined if the threshold does not depend on it. */
  readonly depositsWei?: string | undefined;
}

/**
 * The burn-rate breaker: the maximum costs signed within the period, plus this operation's, must not exceed the
 * threshold of the chain, or a DApp's part of it.
 */
export const checkBurnRate = ({
  chainId,
  threshold,
  seconds,
  used,
  amount,
  dapp,
  paymasterId,
  origin,
  depositsWei,
}: BurnRateFacts): Result => {
  const wei = { threshold: String(threshold), used: String(used), amount: String(amount) };
  const evidence = {
    chainId,
    unit: 'wei',
    seconds,
    ...wei,
    ...(dapp !== undefined && { dapp }),
    ...(paymasterId !== undefined && { paymasterId }),
    ...(origin !== undefined && { origin }),
    ...(depositsWei !== undefined && { depositsWei }),
  };
  if (amount > threshold) return deny('BURN_RATE_TOO_SMALL', evidence);
  if (used + amount <= threshold) return pass('WITHIN_BURN_RATE', evidence);
  return deny(dapp === undefined ? 'BURN_RATE_EXCEEDED' : 'BURN_RATE_EXCEEDED_BY_DAPP', evidence);
};

/**
 * Number of buckets in the breaker's period. An amount counts until its bucket lies completely outside the period. So
 * no period exceeds the limit, and each amount counts for too long by at most a sixtieth of the period.
 */
const PARTS = 60;
const partMsOf = (seconds: number): number => (seconds * 1000) / PARTS;

/** When an amount signed at `at` stops counting for a breaker with this period. Epoch ms. */
export const forgottenAt = (seconds: number, at: number): number => {
  const [partMs, spanMs] = [partMsOf(seconds), seconds * 1000];
  const part = partAt(at, partMs);
  // A bucket may last a fractional number of ms, so this finds the first whole millisecond in a later bucket.
  let over = Math.floor((part + 1) * partMs) + spanMs - 1;
  while (partAt(over - spanMs, partMs) <= part) over += 1;
  return over;
};

/** The last millisecond of the breaker's bucket that contains `at`. Epoch ms. */
export const partEndsAt = (seconds: number, at: number): number => forgottenAt(seconds, at) - seconds * 1000 - 1;

const tripWords = ({ facts, policy, symbol }: RuleInput, start: string, part: bigint): string => {
  const { thresholdWei = 0n, seconds = 0 } = breakerOf(policy, facts) ?? {};
  const { chainId } = policy.dapp;
  const chain = policy.chain?.name ?? knownChains.get(chainId)?.name ?? `chain ${chainId}`;
  const coins = `${weiToDecimal(thresholdWei / part)} ${symbol}`;
  return `${start}${chain} exceeded ${coins} within ${spanWords(seconds)}`;
};

/**
 * The chain's burn-rate breaker. It also applies if the user pays in a token, because the paymaster still pays the
 * chain. It counts every signed amount, whether settled or not, since the breaker was set or sponsorship was last
 * resumed. If the chain has several DApps, a DApp that exceeds its part is paused alone, before the DApps together
 * reach the threshold. The breaker is checked last: it pauses every DApp on the chain, so an operation that another rule
 * denies must not trip it.
 */
export const burnRate: RuleKind<keyof typeof denials> = {
  type: 'burnRate',
  title: 'Burn-rate breaker',
  denials,
  bindsDrafts: false,
  reserve({ facts, policy, requiredWei: amount }) {
    const breaker = breakerOf(policy, facts);
    if (breaker === undefined) return [];
    const { seconds } = breaker;
    const { chainId, paymasterId } = policy.dapp;
    const { desk, dapp } = policy.resumes;
    const partMs = partMsOf(seconds);
    // No upper bound: if the clock was set back, amounts signed at times that are now in the future still count.
    const [window, since] = [partAt(facts.at, partMs), partAt(facts.at - seconds * 1000, partMs)];
    const reservationOn = (account: AccountKey): Reservation => ({
      account: { ...account, window },
      kind: 'spend',
      amount,
      since,
    });
    return [
      reservationOn({ kind: 'breaker', id: [chainId, seconds, desk].join(':') }),
      reservationOn({ kind: 'dappBreaker', id: [paymasterId, seconds, desk, dapp].join(':') }),
    ];
  },
  mostHeld({ facts, policy, requiredWei: amount }) {
    const { thresholdWei: threshold } = breakerOf(policy, facts) ?? {};
    if (threshold === undefined) return [];
    return [threshold - amount, facts.shared.chain ? threshold / DAPP_PART - amount : undefined];
  },
  check({ facts, policy, requiredWei: amount }, [used = 0n, usedByDapp = 0n]) {
    const breaker = breakerOf(policy, facts);
    if (breaker === undefined) return [];
    const { thresholdWei: threshold, seconds, origin } = breaker;
    const { chainId, name: dapp, paymasterId } = policy.dapp;
    const common = {
      chainId,
      seconds,
      amount,
      ...(origin !== 'set' && { origin }),
      ...(origin === 'deposits' && { depositsWei: facts.chain?.depositsWei }),
    };
    const ofDapp = { ...common, threshold: threshold / DAPP_PART, used: usedByDapp, dapp, paymasterId };
    return [...(facts.shared.chain ? [checkBurnRate(ofDapp)] : []), checkBurnRate({ ...common, threshold, used })];
  },
  effects(input, code) {
    const { at: since } = input.facts;
    if (code === 'BURN_RATE_EXCEEDED')
      return { pauseChain: { since, reason: tripWords(input, CHAIN_BREAKER_REASON, 1n) } };
    if (code !== 'BURN_RATE_EXCEEDED_BY_DAPP') return {};
    return { pauseDapp: { since, reason: tripWords(input, `${BREAKER_REASON} its operations on `, DAPP_PART) } };
  },
};
