import { EngineError } from '../../shared/errors.ts';
import { pauseRule } from '../rules/pause.ts';
import type { Clock } from '../clock.ts';
import type { Pause, Store } from '../store/store.ts';
import { type Step, reasonOf, ruleStep } from './steps.ts';

/** Stops and starts all sponsorship. It is known without asking the store: every decision looks at it. */
export interface PauseSwitch {
  /** Null while operations are sponsored. */
  current(): Pause | null;
  /** Once this resolves it is durable, and no decision is signed that began or ends after it. */
  set(pause: Pause | null): Promise<void>;
}

/** The switch as the store has it; only this process writes there. */
export const createPauseSwitch = async (store: Pick<Store, 'findPause' | 'savePause'>): Promise<PauseSwitch> => {
  let current = await store.findPause();
  return {
    current: () => current,
    async set(pause) {
      await store.savePause(pause);
      current = pause;
    },
  };
};

/** The first of the rules; it leaves a step only where it denies. */
export const pauseSteps = (clock: Clock, paused: Pause | null): Step[] =>
  paused === null ? [] : [ruleStep(clock, pauseRule.type, () => pauseRule.check(null, paused))];

/** Lets pass what needs signatures, though it decides nothing. @throws EngineError `NOT_SPONSORED` while paused */
export const requireUnpaused = ({ clock, pause }: { clock: Clock; pause: PauseSwitch }): void => {
  const reason = reasonOf(pauseSteps(clock, pause.current()));
  if (reason !== undefined) throw new EngineError('NOT_SPONSORED', `${reason.message} ${reason.hint}`, { ...reason });
};
