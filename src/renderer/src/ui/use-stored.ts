import { type Ref, customRef } from 'vue';

/**
 * A choice that is stored in this browser, and restored when the page opens, if it is still valid.
 *
 * @param read validates the stored value
 */
export const useStored = <T>(key: string, read: (stored: unknown) => T): Ref<T> => {
  const stored = (): unknown => {
    try {
      return JSON.parse(localStorage.getItem(key) ?? 'null');
    } catch {
      return null;
    }
  };
  let value = read(stored());
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
