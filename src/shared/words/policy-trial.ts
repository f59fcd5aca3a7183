import { grouped, pricedAmount } from './amount.ts';

interface Trial {
  readonly decisions: number;
  readonly nowSponsored: number;
  readonly nowDenied: number;
  readonly unknown: number;
  /** Decisions that {@link assumedSentence} is about. The other counts leave them out. */
  readonly assumed?: { readonly decisions: number } | undefined;
  /** In wei. */
  readonly costWei: { readonly before: string; readonly after: string };
  readonly senders: { readonly nowSponsored: number; readonly nowDenied: number };
}

const counted = (count: number, one: string): string => `${grouped(count)} ${one}${count === 1 ? '' : 's'}`;

const costWords = (more: bigint, coin: string, usd: string): string[] => {
  if (more === 0n) return [];
  return [more < 0n ? `saved ${pricedAmount(-more, coin, usd)}` : `cost at most ${pricedAmount(more, coin, usd)} more`];
};

const which = (decisions: number, time: string): string => {
  const count = counted(decisions, 'decision');
  if (time === '') return decisions === 1 ? `this ${count}` : `these ${count}`;
  return `the ${count} of the ${time}`;
};

/**
 * A sentence on the effect of a draft policy on past decisions.
 *
 * @param coin the coin's symbol
 * @param time the period of the decisions, such as "last 7 days"; empty to leave it out
 * @param usd US dollars per coin; empty if unknown
 */
export const trialSentence = (trial: Trial, coin: string, time = '', usd = ''): string => {
  const { nowSponsored, nowDenied, unknown, costWei, senders, assumed } = trial;
  const decisions = trial.decisions - (assumed?.decisions ?? 0);
  if (decisions === 0 && trial.decisions > 0) return 'No decision could be evaluated without an assumption.';
  if (decisions === 0) return `There are no decisions${time && ` of the ${time}`} to try it on.`;
  const [denied, sponsored] = [senders.nowDenied, senders.nowSponsored];
  const operations = (count: number, users: number): string =>
    `${counted(count, 'operation')} of ${counted(users, 'user')}`;
  const words = [
    ...(nowDenied > 0 ? [`denied ${operations(nowDenied, denied)}`] : []),
    ...(nowSponsored > 0 ? [`sponsored ${operations(nowSponsored, sponsored)}`] : []),
    ...costWords(BigInt(costWei.after) - BigInt(costWei.before), coin, usd),
  ];
  const nothing = unknown > 0 ? 'changed none that could be evaluated' : 'changed nothing';
  const [last = nothing, ...before] = words.reverse();
  const list = before.length === 0 ? last : `${before.reverse().join(', ')}, and ${last}`;
  return `On ${which(decisions, time)} this would have ${list}.`;
};

interface Estimate {
  /** Number of decisions that were evaluated. */
  readonly done: number;
  readonly of: number;
  /** Number of decisions in the sample. */
  readonly sampled: number;
  readonly report: Pick<Trial, 'nowSponsored' | 'nowDenied'>;
}

/** A sentence on the effect of a draft policy on past decisions, of which only a sample and some others are evaluated. */
export const estimateSentence = ({ done, of, sampled, report }: Estimate): string => {
  const { nowDenied, nowSponsored } = report;
  const words = [
    ...(nowDenied > 0 ? [`deny ${counted(nowDenied, 'operation')}`] : []),
    ...(nowSponsored > 0 ? [`sponsor ${counted(nowSponsored, 'operation')}`] : []),
  ];
  const effect = words.length === 0 ? 'change nothing' : words.join(' and ');
  const basis = done === 0 ? '' : ` and the first ${counted(done, 'decision')} of ${grouped(of)}`;
  return `Estimate from a sample of ${counted(sampled, 'decision')}${basis}: this would ${effect}.`;
};

type Cause = 'webhook' | 'price' | 'token' | 'person' | 'gas' | 'record';

/** Why a decision, and why several ones, could not be evaluated, to be used within a sentence. */
const CAUSES: Readonly<Record<Cause, readonly [one: string, several?: string]>> = {
  webhook: ['a webhook was not called'],
  price: ['the price of the coin was not read'],
  token: ['a token balance was not read'],
  person: ['no person was verified'],
  gas: ['its gas was not estimated', 'their gas was not estimated'],
  record: ['its record is incomplete', 'their records are incomplete'],
};

const causeWords = (cause: Cause, count: number): string => {
  const [one, several = one] = CAUSES[cause];
  return count === 1 ? one : several;
};

/**
 * A sentence on the decisions that could not be evaluated, by cause, most frequent first.
 *
 * @param causes how many, by what was not read or called when they were decided
 */
export const unknownSentence = (unknown: number, causes: Readonly<Partial<Record<Cause, number>>>): string => {
  const sorted = (Object.entries(causes) as [Cause, number][]).sort(([, one], [, other]) => other - one);
  // Said once. A record is incomplete still.
  const dated = sorted.find(([cause]) => cause !== 'record');
  const words = sorted.map((entry) => {
    const [cause, count] = entry;
    const because = sorted.length === 1 ? '' : `${grouped(count)} because `;
    return `${because}${causeWords(cause, count)}${entry === dated ? ' at the time' : ''}`;
  });
  return `${grouped(unknown)} could not be evaluated: ${words.join(', ')}.`;
};

/** What a chart of a trial says of it: the chart also has the decisions that {@link trialSentence} leaves out. */
export const chartedSentence = (before: number, after: number, assumed = 0): string =>
  [
    `${grouped(before)} operations sponsored before`,
    `${grouped(after)} with the change`,
    ...(assumed === 0 ? [] : [`including ${counted(assumed, 'decision')} by assumption`]),
  ].join(', ');

interface Assumed {
  readonly decisions: number;
  readonly same: number;
  readonly nowSponsored: number;
  readonly nowDenied: number;
  readonly by: Readonly<Partial<Record<'price' | 'webhook', number>>>;
  readonly costWei: { readonly before: string; readonly after: string };
  readonly usd: string | null;
}

/**
 * A sentence on the decisions that were evaluated only under an assumption. The other sentences leave them out.
 *
 * @param coin the coin's symbol
 */
export const assumedSentence = (assumed: Assumed, coin: string): string => {
  const { decisions, nowDenied, nowSponsored, by, costWei, usd } = assumed;
  const assumptions = [
    ...(by.price === undefined ? [] : [`one ${coin} cost $${usd ?? '?'}`]),
    ...(by.webhook === undefined ? [] : ['each webhook that was not called agreed']),
  ];
  if (decisions === 0) return 'No further decision can be evaluated under these assumptions.';
  const words = [
    ...(nowDenied > 0 ? [`denied ${counted(nowDenied, 'operation')}`] : []),
    ...(nowSponsored > 0 ? [`sponsored ${counted(nowSponsored, 'operation')}`] : []),
    ...costWords(BigInt(costWei.after) - BigInt(costWei.before), coin, ''),
  ];
  const effect = words.length === 0 ? 'changed nothing' : words.join(', ');
  return `Not counted above: assuming that ${assumptions.join(' and that ')}, on ${counted(decisions, 'further decision')} this would have ${effect}.`;
};
