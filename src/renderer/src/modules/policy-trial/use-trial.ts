import { type Ref, onUnmounted, ref, shallowRef, watch } from 'vue';
import type { ProcedureOutput } from '../../../../api/index.ts';
import { useDesk } from '../../desk/desk-store.ts';
import { errorText } from '../../desk/use-loaded.ts';
import { useTimer } from '../../timer.ts';
import { useTransport } from '../../transport/transport.ts';
import type { PolicyChange } from './policy-change.ts';

/** Number of days whose decisions a trial covers. */
export const TRIED_DAYS = 7;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/**
 * The times of a trial that starts now (epoch ms). A limit with another cycle counts from the start of the trial, so
 * trials and thresholds of the same hour start together, and say the same.
 */
export const triedTimes = (now: number): { readonly from: number; readonly to: number } => ({
  from: Math.floor((now - TRIED_DAYS * DAY_MS) / HOUR_MS) * HOUR_MS,
  to: now,
});

/** How long typing must pause, in ms, before a new trial starts. */
const PAUSE_MS = 800;

type State = ProcedureOutput<'policies.trial'>;

/** What the operator may assume where a record lacks it. */
export type Assumption = 'price' | 'webhook';

export type TrialResult = NonNullable<State['result']>;

export interface Trial {
  /** Undefined if no trial is running. */
  readonly progress: Readonly<Ref<Pick<State, 'done' | 'of'> | undefined>>;
  readonly result: Readonly<Ref<(TrialResult & { readonly trialId: string }) | undefined>>;
  /** Why the trial failed, as reported by the engine. */
  readonly error: Readonly<Ref<string | undefined>>;
  readonly start: () => Promise<void>;
  readonly cancel: () => void;
}

/** Tries a change when the operator asks for it. Afterwards, every further change starts a new trial automatically. */
export const useTrial = (change: () => PolicyChange | undefined, assume: () => readonly Assumption[]): Trial => {
  const transport = useTransport();
  const timer = useTimer();
  const desk = useDesk();
  const progress = shallowRef<Pick<State, 'done' | 'of'>>();
  const result = shallowRef<TrialResult & { readonly trialId: string }>();
  const error = ref<string>();
  let isWanted = false;
  /** Number of the current trial. Results of earlier ones are dropped. */
  let latest = 0;
  let trialId: string | undefined;
  let cancelStart = (): void => undefined;

  const forget = (): void => {
    latest += 1;
    cancelStart();
    // The engine ends abandoned trials by itself, so an error here does not matter.
    if (trialId !== undefined) transport.call('policies.cancelTrial', { trialId }).catch(() => undefined);
    trialId = undefined;
    progress.value = undefined;
    result.value = undefined;
    error.value = undefined;
  };

  const follow = async (mine: number, tried: PolicyChange): Promise<void> => {
    const times = triedTimes(desk.now);
    const assumed = assume().length > 0 ? { assume: [...assume()] } : {};
    const begun = await transport.call('policies.try', { change: tried, ...times, ...assumed });
    if (mine !== latest) {
      await transport.call('policies.cancelTrial', begun);
      return;
    }
    ({ trialId } = begun);
    for (let seen = -1; mine === latest;) {
      const state = await transport.call('policies.trial', { ...begun, seen });
      if (mine !== latest) return;
      seen = state.done;
      progress.value = state.result === null ? state : undefined;
      if (state.result === null) continue;
      result.value = { ...state.result, ...begun };
      return;
    }
  };

  const start = async (): Promise<void> => {
    const tried = change();
    if (tried === undefined) return;
    forget();
    isWanted = true;
    const mine = latest;
    progress.value = { done: 0, of: null };
    try {
      await follow(mine, tried);
    } catch (cause) {
      if (mine !== latest) return;
      progress.value = undefined;
      error.value = errorText(cause);
    }
  };

  watch(
    () => JSON.stringify([change(), assume()]),
    () => {
      forget();
      if (isWanted) cancelStart = timer.after(PAUSE_MS, () => void start());
    },
  );
  onUnmounted(forget);
  return {
    progress,
    result,
    error,
    start,
    cancel: () => {
      isWanted = false;
      forget();
    },
  };
};
