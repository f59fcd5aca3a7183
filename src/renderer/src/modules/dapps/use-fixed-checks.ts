import { type ComputedRef, type Ref, computed } from 'vue';
import { useDesk } from '../../desk/desk-store.ts';
import type { Dapp } from '../../desk/types.ts';
import { useCall } from '../../desk/use-call.ts';
import { useExposure } from '../../desk/use-exposure.ts';
import { usePause } from '../../desk/use-pause.ts';
import { fixedSentence } from './fixed-checks.ts';
import type { PolicyStep } from './policy-steps.ts';

/**
 * Describes the checks of a DApp that operators do not add, with their current values. Pauses and resumes the DApp.
 */
export const useFixedChecks = (
  dapp: () => Dapp,
  steps: Readonly<Ref<readonly PolicyStep[] | undefined>>,
): {
  /** What a kind of rule checks if nothing is set up for it. */
  sentence: (type: string) => string;
  isPaused: ComputedRef<boolean>;
  pause: () => Promise<boolean>;
  /** Resumes all sponsorship if it is paused, otherwise the DApp. */
  resume: () => Promise<boolean>;
  error: Readonly<Ref<string | undefined>>;
} => {
  const desk = useDesk();
  const exposure = useExposure();
  const { data: tokens } = useCall('feeTokens.list', () => ({}));
  const { error, resume, pauseDapp, resumeDapp } = usePause();
  const ofDesk = computed(() => desk.info?.paused ?? undefined);
  const ofDapp = computed(() => desk.info?.pausedDapps.find(({ paymasterId }) => paymasterId === dapp().paymasterId));
  const pause = computed(() => ofDesk.value ?? ofDapp.value);
  const facts = computed(() => ({
    chain: desk.chains.get(dapp().chainId),
    tokenMode: dapp().tokenMode,
    tank: exposure.data?.dapps.find(({ paymasterId }) => paymasterId === dapp().paymasterId)?.tank,
    tokens: (tokens.value ?? []).filter(({ chainId }) => chainId === dapp().chainId),
    isRestricted: steps.value?.some(({ type, entries }) => type === 'contracts' && entries.length > 0) === true,
    pause: pause.value && { ...pause.value, isWhole: ofDesk.value !== undefined },
  }));
  return {
    sentence: (type) => fixedSentence(type, facts.value),
    isPaused: computed(() => pause.value !== undefined),
    pause: () => pauseDapp(dapp()),
    resume: () => (ofDesk.value === undefined ? resumeDapp(dapp()) : resume()),
    error,
  };
};
