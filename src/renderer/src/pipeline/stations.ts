import { decidingRules, ruleName } from '../../../core/decision/rule-words.ts';
import type { DecisionRecord, WalkedStep } from '../../../shared/schema/decision.ts';
import { stepWords } from '../../../shared/words/outcomes.ts';
import type { IconName } from '../ui/icons.ts';

/** How far an operation got at a station. */
export type StationState = WalkedStep['outcome'] | 'waiting';

/** One place that an operation passes: a kind of rule, or what happens after the rules. */
export interface Station {
  readonly key: string;
  readonly name: string;
  readonly state: StationState;
  /** What it says about the operation, for screen readers. */
  readonly words: string;
  /** True if a rule before it denies, so that the operation does not come this far. */
  readonly isBeyond: boolean;
  readonly icon: IconName | undefined;
}

const ICONS: Readonly<Record<StationState, IconName | undefined>> = {
  pass: 'tick',
  deny: 'close',
  wouldDeny: 'close',
  skip: undefined,
  waiting: undefined,
};
/** Where rules of one kind differ, the station shows the first of these that one of them says. */
const WEIGHTS: readonly WalkedStep['outcome'][] = ['deny', 'pass', 'wouldDeny', 'skip'];

const wordsOf = (state: StationState, isBeyond: boolean): string => {
  if (state === 'waiting') return 'waits';
  if (state !== 'deny') return stepWords[state];
  return isBeyond ? 'would deny it as well' : 'denies it: the operation stops here';
};

/** What the rules of a kind say together. A shadow rule never denies. */
const stateOf = (steps: readonly WalkedStep[]): StationState => {
  const said = new Set(steps.map(({ outcome }) => outcome));
  return WEIGHTS.find((outcome) => said.has(outcome)) ?? 'waiting';
};

/**
 * The kinds of rules that an operation passes, in the order in which the engine checked them: those that said
 * something, or, before a decision, all.
 */
const ruleStations = (steps: readonly WalkedStep[]): Station[] => {
  const checked = new Set(steps.map(({ rule }) => rule));
  const rules = checked.size === 0 ? decidingRules : [...checked];
  const states = rules.map((rule) => stateOf(steps.filter((step) => step.rule === rule)));
  const stop = states.indexOf('deny');
  return rules.map((rule, index) => {
    const state = states[index] ?? 'waiting';
    const isBeyond = stop !== -1 && index > stop;
    const icon = ICONS[state];
    return { key: rule, name: ruleName(rule), state, isBeyond, icon, words: wordsOf(state, isBeyond) };
  });
};

/** What became of an operation after the rules. `waiting`: nothing yet. */
export interface Ending {
  readonly signed: 'pass' | 'waiting';
  readonly mined: 'pass' | 'deny' | 'waiting';
  /** What happened instead of mining, or how mining ended. */
  readonly minedWords: string;
}

const NOTHING_YET: Ending = { signed: 'waiting', mined: 'waiting', minedWords: 'waits' };

/**
 * The way of an operation: the rules, then signing and mining.
 *
 * @param steps none if the operation is undecided
 * @param ending null if the rules are only tried
 */
export const stationsOf = (steps: readonly WalkedStep[], ending: Ending | null = NOTHING_YET): Station[] => {
  const rules = ruleStations(steps);
  if (ending === null) return rules;
  const isBeyond = rules.some(({ state }) => state === 'deny');
  const { signed, mined, minedWords } = ending;
  const heard = (state: StationState, said: string): string => (isBeyond && state === 'waiting' ? 'not reached' : said);
  return [
    ...rules,
    {
      key: 'signed',
      name: 'Signed',
      state: signed,
      isBeyond,
      icon: 'signed',
      words: heard(signed, signed === 'pass' ? 'signed' : 'waits'),
    },
    { key: 'mined', name: 'Mined', state: mined, isBeyond, icon: 'mined', words: heard(mined, minedWords) },
  ];
};

const MINED: Readonly<Record<NonNullable<DecisionRecord['settlement']>, Pick<Ending, 'mined' | 'minedWords'>>> = {
  settled: { mined: 'pass', minedWords: 'mined' },
  reserved: { mined: 'waiting', minedWords: 'waits' },
  released: { mined: 'deny', minedWords: 'expired' },
  unconfirmed: { mined: 'waiting', minedWords: 'could not be matched on chain' },
};

/** What became of a recorded decision's operation. */
export const endingOf = ({ outcome, settlement }: Pick<DecisionRecord, 'outcome' | 'settlement'>): Ending =>
  outcome === 'sponsored' && settlement !== null ? { signed: 'pass', ...MINED[settlement] } : NOTHING_YET;
