import { EngineError } from '../../shared/errors.ts';
import { pauseRule } from '../rules/pause.ts';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Pause, Store } from '../store/store.ts';
import { type Step, reasonOf, ruleStep } from './steps.ts';

/** Stops and starts all sponsorship. It is known without asking the store: every decision looks at it. */
export interface PauseSwitch {
  /** Null while operations are sponsored. */
  current(): Pause | null;
  /** Once this resolves it is durable, and no decision is signed that began or ends after it. */
  set(pause: Pause | null): Promise<void>;
  /** Takes up a pause that was stored together with a decision. */
  refresh(): Promise<void>;
}

/** The switch as the store has it; only this process writes there. */
export const createPauseSwitch = async (
  store: Pick<Store, 'findPause' | 'savePause'>,
  log: Log,
): Promise<PauseSwitch> => {
  let current = await store.findPause();
  const use = (pause: Pause | null): void => {
    if (pause?.since !== current?.since || pause?.reason !== current?.reason) {
      if (pause === null) log.warn('sponsorship.resumed');
      else log.warn('sponsorship.paused', { reason: pause.reason ?? 'none given' });
    }
    current = pause;
  };
  return {
    current: () => current,
    async set(pause) {
      await store.savePause(pause);
      use(pause);
    },
    async refresh() {
      use(await store.findPause());
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
