import { computed, ref } from 'vue';
import { EngineError } from '../../../../shared/errors.ts';
import { useAction } from '../../desk/use-action.ts';
import { setupError } from './setup-error.ts';
import { usePayer } from './use-payer.ts';
import type { Setup } from './use-setup.ts';

/** An action that the paying key signs. The operator may have to enter its password first. */
export const usePayerAction = (setup: Setup) => {
  const payer = usePayer(setup);
  const { isRunning, error, run } = useAction();
  const typed = ref('');
  const canSign = computed(() => setup.payer?.kind !== 'keystore' || setup.password !== '' || typed.value !== '');

  const act = (what: () => Promise<unknown>): Promise<boolean> =>
    run(async () => {
      if (typed.value !== '') setup.password = typed.value;
      typed.value = '';
      try {
        await what();
      } catch (error) {
        if (error instanceof EngineError && error.code === 'KEYSTORE_PASSWORD_WRONG') setup.password = '';
        throw setupError(error);
      }
    });
  return { payer, isRunning, error, typed, canSign, act };
};
