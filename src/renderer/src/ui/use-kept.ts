import { type Ref, customRef } from 'vue';

/**
 * A choice that this browser keeps: what was chosen when the page was opened last, as far as it is still one.
 *
 * @param read what is kept, from whatever stands in the browser's storage
 */
export const useKept = <T>(key: string, read: (kept: unknown) => T): Ref<T> => {
  const kept = (): unknown => {
    try {
      return JSON.parse(localStorage.getItem(key) ?? 'null');
    } catch {
      return null;
    }
  };
  let value = read(kept());
  return customRef((track, trigger) => ({
    get: () => {
      track();
      return value;
    },
    set: (chosen) => {
      value = chosen;
      localStorage.setItem(key, JSON.stringify(chosen));
      trigger();
    },
  }));
};
