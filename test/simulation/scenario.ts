import { drawOf } from '../support/draw.ts';
import { makeFolder, removeFolder } from './folders.ts';
import { type Played, play } from './play.ts';
import { Violation } from './violation.ts';
import { KINDS, type Kind } from './world.ts';

/** What is played: a seed, the kinds of what happens, and how long. */
export interface Scenario {
  readonly seed: string;
  readonly kinds: ReadonlySet<Kind>;
  /** World time, in minutes. */
  readonly minutes: number;
}

const MINUTE_MS = 60_000;

/** The scenario of a seed. Most leave something out, because what fails seldom is hidden by what fails often. */
export const scenarioOf = (seed: string): Scenario => {
  const draw = drawOf(seed).part('scenario');
  const percent = draw.pick([60, 80, 100]);
  const kinds = KINDS.filter((kind) => draw.chance(percent) || kind === 'clients' || kind === 'bundler');
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

/** What makes two failures the same. */
export const failureCode = (failure: Error): string =>
  failure instanceof Violation ? failure.code : `${failure.name}: ${failure.message.slice(0, 60)}`;

/**
 * Looks for a smaller scenario of the same seed that fails in the same way: first with fewer kinds of what happens, then
 * shorter.
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
  let best: [Scenario, Played] = [scenario, played];
  const attempt = async (smaller: Scenario): Promise<boolean> => {
    const again = await playScenario(smaller);
    if (again.failure === undefined || failureCode(again.failure) !== code) return false;
    best = [smaller, again];
    return true;
  };
  for (const kind of KINDS) {
    const [{ kinds }] = best;
    if (kinds.has(kind) && !isOver())
      await attempt({ ...best[0], kinds: new Set([...kinds].filter((one) => one !== kind)) });
  }
  for (const share of [0.25, 0.5, 0.75]) {
    const minutes = Math.ceil(best[0].minutes * share);
    if (!isOver() && (await attempt({ ...best[0], minutes }))) break;
  }
  return best;
};

/** The command that plays a scenario again. */
export const commandOf = ({ seed, kinds, minutes }: Scenario): string => {
  const without = KINDS.filter((kind) => !kinds.has(kind)).join(',');
  const left = without === '' ? '' : ` --without '${without}'`;
  return `npm run simulate -- --seed ${seed} --length ${minutes}${left}`;
};
