import { type ComputedRef, onScopeDispose, watch } from 'vue';
import { useChanged } from './use-changed.ts';

const PREFIX = 'gasdesk.draft.';

/** A form as it was left in this tab; undefined if nothing is stored, or other fields are. */
const stored = <Form extends object>(key: string, empty: Form): Form | undefined => {
  const text = sessionStorage.getItem(key);
  if (text === null) return undefined;
  const form = JSON.parse(text) as Form;
  return Object.keys(empty).join() === Object.keys(form).join() ? form : undefined;
};

/**
 * Keeps in this tab what is typed into a form, so that the operator may look at another page and come back.
 *
 * @param name distinguishes the form from others
 * @param read the form's fields
 * @param write fills them in again
 * @returns `forget` forgets what was typed: for a form that is saved, or closed on purpose. `isChanged` is true while
 *   something else is typed than what the form began with.
 */
export const useDraft = <Form extends object>(
  name: string,
  read: () => Form,
  write: (form: Form) => void,
): { forget: () => void; isChanged: ComputedRef<boolean> } => {
  const isChanged = useChanged(read);
  const key = PREFIX + name;
  const draft = stored(key, read());
  if (draft !== undefined) write(draft);
  const stop = watch(
    () => JSON.stringify(read()),
    (text) => {
      try {
        sessionStorage.setItem(key, text);
      } catch {
        // A list of accounts may be larger than what a tab may store. An older draft would be wrong.
        sessionStorage.removeItem(key);
      }
    },
  );
  onScopeDispose(stop);
  const forget = (): void => {
    stop();
    sessionStorage.removeItem(key);
  };
  return { forget, isChanged };
};
