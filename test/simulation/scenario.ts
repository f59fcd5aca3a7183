import { type Draw, drawOf } from '../support/draw.ts';
import { makeFolder, removeFolder } from './folders.ts';
import { type Played, play } from './play.ts';
import { Violation } from './violation.ts';
import { KINDS, type Kind } from './world.ts';

/** What is played: a seed, the kinds of what happens, and how long. */
export interface Scenario {
  readonly seed: string;
  readonly kinds: ReadonlySet<Kind>;
  /** World time in which the machine is awake, in minutes. */
  readonly minutes: number;
}

const MINUTE_MS = 60_000;

/** The scenario of a seed. Most leave something out, because what fails seldom is hidden by what fails often. */
export const scenarioOf = (seed: string): Scenario => {
  const draw = drawOf(seed).part('scenario');
  const percent = draw.pick([30, 60, 80, 100]);
  // Drawn apart, so that seeds are as they were before there was token mode.
  const drawFor = (kind: Kind): Draw => (kind === 'tokens' ? draw.part(kind) : draw);
  const kinds = KINDS.filter((kind) => drawFor(kind).chance(percent) || kind === 'clients' || kind === 'bundler');
  return { seed, kinds: new Set(kinds), minutes: draw.pick([5, 15, 40]) };
};

/** Plays a scenario in a folder of its own. */
export const playScenario = async ({ seed, kinds, minutes }: Scenario): Promise<Played> => {
  const dir = makeFolder();
  try {
    return await play({ seed, dir, kinds, lengthMs: minutes * MINUTE_MS });
  } finally {
    removeFolder(dir);
  }
};

/** Plays a scenario again. @returns what came of it first; a failure if something else happens now */
export const compared = async (scenario: Scenario, first: Played): Promise<Played> => {
  const second = await playScenario(scenario);
  if (second.trace === first.trace && second.root === first.root) return first;
  const at = first.story.findIndex((line, index) => line !== second.story[index]);
  const detail = `${first.story[at] ?? 'The story ends'}; then: ${second.story[at] ?? 'the story ends'}`;
  return { ...first, failure: new Violation('NOT_REPEATED', detail) };
};

/** What makes two failures the same. */
export const failureCode = (failure: Error): string =>
  failure instanceof Violation ? failure.code : `${failure.name}: ${failure.message.slice(0, 60)}`;

/** Scenarios that may fail as one did: until the minute in which it failed, without a kind, and for half of the time. */
const smallerThan = ({ seed, kinds, minutes }: Scenario, { playedMs }: Played): readonly Scenario[] => [
  { seed, kinds, minutes: Math.ceil(playedMs / MINUTE_MS) },
  ...[...kinds].map((left) => ({ seed, minutes, kinds: new Set([...kinds].filter((kind) => kind !== left)) })),
  { seed, kinds, minutes: Math.ceil(minutes / 2) },
];

const sizeOf = ({ kinds, minutes }: Scenario): number => kinds.size * minutes;

/**
 * Looks for a smaller scenario of the same seed that fails in the same way, until no smaller one does.
 *
 * @param isOver true when there is no time left
 */
export const shrink = async (
  scenario: Scenario,
  played: Played,
  isOver: () => boolean,
): Promise<[Scenario, Played]> => {
  if (played.failure === undefined) return [scenario, played];
  const code = failureCode(played.failure);
  for (const smaller of smallerThan(scenario, played)) {
    if (isOver()) break;
    if (sizeOf(smaller) >= sizeOf(scenario)) continue;
    const again = await playScenario(smaller);
    if (again.failure !== undefined && failureCode(again.failure) === code) return shrink(smaller, again, isOver);
  }
  return [scenario, played];
};

/** The arguments of `npm run simulate` that play a scenario again. */
export const argumentsOf = ({ seed, kinds, minutes }: Scenario, fault?: string): readonly string[] => {
  const without = KINDS.filter((kind) => !kinds.has(kind)).join(',');
  const left = without === '' ? [] : ['--without', without];
  const planted = fault === undefined ? [] : ['--fault', fault];
  return ['--seed', seed, '--length', String(minutes), ...left, ...planted];
};

/** The command that plays a scenario again. */
export const commandOf = (args: readonly string[]): string =>
  ['npm run simulate --', ...args.map((arg) => (/[ ,]/.test(arg) ? `'${arg}'` : arg))].join(' ');
