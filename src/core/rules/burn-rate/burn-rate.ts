import { type DenialRows, type Evidence, areUsed, coins, units } from '../../../shared/denials.ts';
import { knownChains } from '../../../shared/chains.ts';
import { weiToDecimal } from '../../../shared/schema/decimal.ts';
import { BREAKER_REASON } from '../../../shared/words/breaker.ts';
import { spanWords } from '../../../shared/words/span.ts';
import { LEAST_OPERATIONS, breakerOf } from './breaker.ts';
import { type AccountKey, type Reservation, partAt } from '../../ledger/account.ts';
import { type CheckResult, type RuleInput, type RuleKind, deny, pass } from '../rule.ts';

/** If a chain has several DApps, each may sign for this part of the amount: it cannot trip the breaker alone. */
const DAPP_PART = 2n;

/** The command that sets a breaker with room for this amount; a DApp may use only its part. */
const raised = ({ chainId, seconds, dapp }: Evidence, wei: bigint): string =>
  `"gasdesk chain set ${String(chainId)} --breaker ${weiToDecimal(wei * (dapp === undefined ? 1n : DAPP_PART))}/${String(seconds)}s"`;

const wanted = ({ used, amount }: Evidence): bigint => BigInt(String(used)) + BigInt(String(amount));

const checked = (evidence: Evidence, resume: string): string =>
  `The operator checks what used the amount, then runs "${resume}", which restarts the count. ` +
  `If the traffic is legitimate, the operator raises the breaker first: ${raised(evidence, wanted(evidence))}.`;

/** The source of an amount that the operator has not set. */
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
    hint: checked(evidence, `gasdesk resume --paymaster ${String(evidence.paymasterId)}`),
  }),
  BURN_RATE_EXCEEDED: (evidence) => ({
    message:
      `The burn-rate breaker of the chain lets Gasdesk sign for ${units(evidence, 'threshold')} per ${spanWords(Number(evidence.seconds))}; ` +
      `${areUsed(evidence)}, and this operation takes ${units(evidence, 'amount')}. All sponsorship is paused.${originWords(evidence)}`,
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

/** The amount signed for on a chain, by all DApps or by one, and its limit within a time. */
export interface BurnRateFacts {
  readonly chainId: number;
  /** Wei. */
  readonly threshold: bigint;
  readonly seconds: number;
  /** Maximum costs signed within that time, wei. */
  readonly used: bigint;
  /** The most this operation can take, wei. */
  readonly amount: bigint;
  /** Name of the DApp whose part it is; undefined: all of them together. */
  readonly dapp?: string | undefined;
  /** The same, by its id. */
  readonly paymasterId?: string | undefined;
  /** Source of the default amount; undefined: the operator has set it. */
  readonly origin?: 'deposits' | 'operations' | undefined;
  /** Total balance of the chain's gas tanks, wei; undefined if the amount does not depend on it. */
  readonly depositsWei?: string | undefined;
}

/**
 * The burn-rate breaker: signed maximum costs + the operation's ≤ the amount per time, the chain's or a DApp's part.
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
 * Resolution of the time: an amount counts until the whole part in which it was signed has passed, so that never more
 * than the limit is signed within the time, and all of it is free again one sixtieth of it later.
 */
const PARTS = 60;
const partMsOf = (seconds: number): number => (seconds * 1000) / PARTS;

/** When an amount signed at `at` no longer counts for a breaker of that many seconds. Epoch ms. */
export const forgottenAt = (seconds: number, at: number): number => {
  const [partMs, spanMs] = [partMsOf(seconds), seconds * 1000];
  const part = partAt(at, partMs);
  // A part may last a fractional number of ms: what counts is the part to which a whole millisecond belongs.
  let over = Math.floor((part + 1) * partMs) + spanMs - 1;
  while (partAt(over - spanMs, partMs) <= part) over += 1;
  return over;
};

/** The last moment of the part of the breaker's time that contains `at`. Epoch ms. */
export const partEndsAt = (seconds: number, at: number): number => forgottenAt(seconds, at) - seconds * 1000 - 1;

const tripWords = ({ facts, policy, symbol }: RuleInput, what: string, part: bigint): string => {
  const { thresholdWei = 0n, seconds = 0 } = breakerOf(policy, facts.chain) ?? {};
  const { chainId } = policy.dapp;
  const chain = policy.chain?.name ?? knownChains.get(chainId)?.name ?? `chain ${chainId}`;
  const coins = `${weiToDecimal(thresholdWei / part)} ${symbol}`;
  return `${BREAKER_REASON} ${what} on ${chain} exceeded ${coins} within ${spanWords(seconds)}`;
};

/**
 * The chain's burn-rate breaker applies even if the user pays: with tokens, too, the paymaster pays the chain. It
 * counts what was signed, whatever its settlement, since the breaker was set or sponsorship was last resumed. If the
 * chain has several DApps, one that exceeds its part is paused by itself, before all of them together reach the amount.
 * It is the last rule: it stops everything, and an operation that another rule denies must not trip it.
 */
export const burnRate: RuleKind<keyof typeof denials> = {
  type: 'burnRate',
  title: 'Burn-rate breaker',
  denials,
  bindsDrafts: false,
  reserve({ facts, policy, requiredWei: amount }) {
    const breaker = breakerOf(policy, facts.chain);
    if (breaker === undefined) return [];
    const { seconds } = breaker;
    const { chainId, paymasterId } = policy.dapp;
    const { desk, dapp } = policy.resumes;
    const partMs = partMsOf(seconds);
    // After a clock was set back, amounts signed for later times count as well.
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
  check({ facts, policy, requiredWei: amount }, [used = 0n, usedByDapp = 0n]) {
    const breaker = breakerOf(policy, facts.chain);
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
    if (code === 'BURN_RATE_EXCEEDED') return { pause: { since, reason: tripWords(input, 'operations', 1n) } };
    if (code !== 'BURN_RATE_EXCEEDED_BY_DAPP') return {};
    return { pauseDapp: { since, reason: tripWords(input, 'its operations', DAPP_PART) } };
  },
};
