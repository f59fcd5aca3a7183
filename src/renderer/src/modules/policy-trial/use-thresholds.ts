import { type Ref, onUnmounted, ref, shallowRef, watch } from 'vue';
import type { ProcedureInput, ProcedureOutput } from '../../../../api/index.ts';
import { EngineError } from '../../../../shared/errors.ts';
import { useDesk } from '../../desk/desk-store.ts';
import { errorText } from '../../desk/use-loaded.ts';
import { useTimer } from '../../timer.ts';
import { useTransport } from '../../transport/transport.ts';
import { triedTimes } from './use-trial.ts';

/** How long typing must pause, in ms, before past decisions are read for another limit. */
const PAUSE_MS = 400;

/** The change that sets a limit, whatever its threshold. */
export type LimitChange = ProcedureInput<'policies.tryThresholds'>['change'];

export type ThresholdCounts = NonNullable<ProcedureOutput<'policies.atThreshold'>>;

export interface Thresholds {
  /** What past decisions would be under the threshold, as far as it is known. Undefined until the sample is read. */
  readonly counts: Readonly<Ref<ThresholdCounts | undefined>>;
  readonly error: Readonly<Ref<string | undefined>>;
}

/**
 * Follows a limit while it is edited. Past decisions are read once for the limit; a new threshold is answered from what
 * is read so far.
 *
 * @param limit undefined while the limit is incomplete
 * @param threshold undefined while it is no number
 */
export const useThresholds = (
  limit: () => LimitChange | undefined,
  threshold: () => string | undefined,
): Thresholds => {
  const transport = useTransport();
  const timer = useTimer();
  const desk = useDesk();
  const counts = shallowRef<ThresholdCounts>();
  const error = ref<string>();
  /** Number of the current trial, and of the newest request. Answers to earlier ones are dropped. */
  let [trial, request] = [0, 0];
  let trialId: string | undefined;
  let isAsking = false;
  let isOutdated = false;
  let cancelStart = (): void => undefined;

  const end = (id: string): void => {
    // The engine ends abandoned trials by itself, so an error here does not matter.
    transport.call('policies.endThresholds', { trialId: id }).catch(() => undefined);
  };
  const forget = (): void => {
    trial += 1;
    cancelStart();
    if (trialId !== undefined) end(trialId);
    trialId = undefined;
    counts.value = undefined;
    error.value = undefined;
  };

  const fail = (mine: number, cause: unknown): void => {
    if (mine !== trial) return;
    // A trial ends if nothing is asked for a while, or if another page starts one. Moving the threshold then starts it
    // again.
    trialId = undefined;
    if (cause instanceof EngineError && cause.code === 'TRIAL_NOT_FOUND') return;
    error.value = errorText(cause);
  };

  const ask = async (mine: number, id: string, seen: number): Promise<void> => {
    const wanted = threshold() ?? '1';
    const mineToo = (request += 1);
    const answer = await transport.call('policies.atThreshold', { trialId: id, threshold: wanted, seen });
    if (mine !== trial || mineToo !== request) return;
    if (answer === null) throw new EngineError('TRIAL_NOT_FOUND');
    counts.value = answer;
    if (!answer.isWhole) void follow(mine, id, answer.done);
  };
  /** Waits for more decisions to be read. A newer request ends this. */
  const follow = (mine: number, id: string, seen: number): Promise<void> =>
    ask(mine, id, seen).catch((cause: unknown) => fail(mine, cause));

  /** Asks for the newest threshold; while it moves, one request after the other. */
  const recount = async (): Promise<void> => {
    isOutdated = true;
    if (isAsking) return;
    isAsking = true;
    const mine = trial;
    try {
      while (isOutdated && mine === trial && trialId !== undefined) {
        isOutdated = false;
        await ask(mine, trialId, -1);
      }
    } catch (cause) {
      fail(mine, cause);
    }
    isAsking = false;
  };

  const start = async (): Promise<void> => {
    const change = limit();
    if (change === undefined) return;
    forget();
    const mine = trial;
    try {
      const { trialId: begun } = await transport.call('policies.tryThresholds', { change, ...triedTimes(desk.now) });
      if (mine === trial) {
        trialId = begun;
        await recount();
      } else end(begun);
    } catch (cause) {
      fail(mine, cause);
    }
  };

  watch(
    () => JSON.stringify(limit()),
    (_, before) => {
      forget();
      cancelStart = timer.after(before === undefined ? 0 : PAUSE_MS, () => void start());
    },
    { immediate: true },
  );
  watch(threshold, (wanted) => {
    if (wanted === undefined) return;
    if (trialId === undefined && error.value === undefined && counts.value !== undefined) void start();
    else void recount();
  });
  onUnmounted(forget);
  return { counts, error };
};
