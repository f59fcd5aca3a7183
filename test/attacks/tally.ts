/** What came of one thing that attackers can do. Amounts in wei. */
export interface AbilityTally {
  played: number;
  signed: number;
  mined: number;
  /** What tanks and deposits paid. */
  lostWei: bigint;
  /** What attackers have more than it cost them. */
  gainedWei: bigint;
  /** The most of what was paid that one bundle left to its bundler, thousandths. */
  worstPerMille: bigint;
}

/** What was done so far, for reports. */
export interface Tally {
  runs: number;
  asked: number;
  signed: number;
  mined: number;
  /** What paymasters paid, wei. */
  paidWei: bigint;
  /** What 1.1.0 and 1.0.0 debited only because the bundler paid more for gas than the operation offers, wei. */
  bundlersOwnPriceWei: bigint;
  /** How often each move of a script was played. */
  readonly moves: Map<string, number>;
  /** By the ability's name. */
  readonly abilities: Map<string, AbilityTally>;
  /** What the desk answered, and how often. */
  readonly answers: Map<string, number>;
}

/** A tally of nothing. */
export const newTally = (): Tally => ({
  runs: 0,
  asked: 0,
  signed: 0,
  mined: 0,
  paidWei: 0n,
  bundlersOwnPriceWei: 0n,
  moves: new Map(),
  abilities: new Map(),
  answers: new Map(),
});

/** The tally of one ability. */
export const tallyOf = ({ abilities }: Pick<Tally, 'abilities'>, name: string): AbilityTally => {
  const known = abilities.get(name);
  if (known !== undefined) return known;
  const none = { played: 0, signed: 0, mined: 0, lostWei: 0n, gainedWei: 0n, worstPerMille: -1_000_000n };
  abilities.set(name, none);
  return none;
};

const addCounts = (to: Map<string, number>, from: ReadonlyMap<string, number>): void => {
  for (const [name, count] of from) to.set(name, (to.get(name) ?? 0) + count);
};

/** Adds what was done elsewhere. */
export const addTally = (to: Tally, from: Tally): void => {
  for (const name of ['runs', 'asked', 'signed', 'mined'] as const) to[name] += from[name];
  to.paidWei += from.paidWei;
  to.bundlersOwnPriceWei += from.bundlersOwnPriceWei;
  addCounts(to.answers, from.answers);
  addCounts(to.moves, from.moves);
  for (const [name, added] of from.abilities) {
    const ability = tallyOf(to, name);
    for (const field of ['played', 'signed', 'mined'] as const) ability[field] += added[field];
    ability.lostWei += added.lostWei;
    ability.gainedWei += added.gainedWei;
    if (added.worstPerMille > ability.worstPerMille) ability.worstPerMille = added.worstPerMille;
  }
};

const countWords = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');

const abilityWords = ([name, ability]: [string, AbilityTally]): string => {
  const { played, signed, mined, lostWei, gainedWei, worstPerMille } = ability;
  const worst = mined === 0 ? '' : `, in the worst bundle ${(Number(worstPerMille) / 10).toFixed(1)} %`;
  return `  ${name}: ${played} asked, ${signed} signed, ${mined} mined, ${lostWei} wei paid, ${gainedWei} gained${worst}`;
};

/** A tally for people, line by line; the first sums it up. */
export const tallyWords = (tally: Tally): string[] => [
  `${tally.runs} runs: ${tally.asked} asked, ${tally.signed} signed, ${tally.mined} mined, ${tally.paidWei} wei paid`,
  `bundlers' own price: ${tally.bundlersOwnPriceWei} wei`,
  ...[...tally.abilities].sort(([one], [other]) => one.localeCompare(other)).map(abilityWords),
  `moves: ${countWords(tally.moves)}`,
  `the desk answered: ${countWords(tally.answers)}`,
];
