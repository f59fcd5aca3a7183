import { useMessage } from 'naive-ui';
import { type Ref, ref } from 'vue';
import { faultText } from './use-loaded.ts';

/** Something that the operator does. */
export interface Action {
  readonly isRunning: Readonly<Ref<boolean>>;
  /** Why it failed, in the engine's words. */
  readonly fault: Ref<string | undefined>;
  /** Does it. @returns false if it failed, or is being done already */
  readonly run: (act: () => Promise<unknown>, done?: string) => Promise<boolean>;
}

/** Runs what the operator does, one thing at a time, and says how it went. */
export const useAction = (): Action => {
  const message = useMessage();
  const isRunning = ref(false);
  const fault = ref<string>();
  return {
    isRunning,
    fault,
    async run(act, done) {
      if (isRunning.value) return false;
      isRunning.value = true;
      fault.value = undefined;
      try {
        await act();
        if (done !== undefined) message.success(done);
        return true;
      } catch (error) {
        fault.value = faultText(error);
        return false;
      } finally {
        isRunning.value = false;
      }
    },
  };
};
