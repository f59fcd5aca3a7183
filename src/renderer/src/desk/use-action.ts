import { useMessage } from 'naive-ui';
import { type Ref, h, ref } from 'vue';
import { errorText } from './use-loaded.ts';

export interface Action {
  readonly isRunning: Readonly<Ref<boolean>>;
  /** Why the action failed, as reported by the engine. */
  readonly error: Ref<string | undefined>;
  /** @returns false if the action failed or is already running */
  readonly run: (act: () => Promise<unknown>, done?: string) => Promise<boolean>;
}

/** Runs one action of the operator at a time, and reports its result. */
export const useAction = (): Action => {
  const message = useMessage();
  const isRunning = ref(false);
  const error = ref<string>();
  return {
    isRunning,
    error,
    async run(act, done) {
      if (isRunning.value) return false;
      isRunning.value = true;
      error.value = undefined;
      try {
        await act();
        // A status, so that screen readers read it.
        if (done !== undefined) message.success(() => h('span', { role: 'status' }, done));
        return true;
      } catch (cause) {
        error.value = errorText(cause);
        return false;
      } finally {
        isRunning.value = false;
      }
    },
  };
};
