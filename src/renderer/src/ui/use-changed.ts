import { type ComputedRef, computed } from 'vue';

/** True while a form's fields differ from what they were at the call. @param read the fields, as JSON can tell them */
export const useChanged = (read: () => unknown): ComputedRef<boolean> => {
  const before = JSON.stringify(read());
  return computed(() => JSON.stringify(read()) !== before);
};
