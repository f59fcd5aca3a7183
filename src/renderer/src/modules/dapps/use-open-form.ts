import { type ComputedRef, type Ref, computed } from 'vue';
import { useRoute } from 'vue-router';
import type { PolicyEntry, PolicyStep } from './policy-steps.ts';

/** A form next to the policy. */
export interface OpenForm {
  readonly form: string;
  readonly entry: PolicyEntry | undefined;
  readonly add: string;
  readonly when: boolean;
}

const isNamed = ({ key, name }: PolicyEntry, of: string): boolean =>
  of !== '' && (key.toLowerCase() === of.toLowerCase() || name === of);

/** What the address of the policy names. */
export const useOpenForm = (
  steps: Readonly<Ref<readonly PolicyStep[] | undefined>>,
): {
  /** The form for an existing entry opens once that entry has been read. */
  open: ComputedRef<OpenForm | undefined>;
  /** The kind of a rule that has a form in the address, but does not exist. */
  gone: ComputedRef<string | undefined>;
  /** The decision to decide again; empty for none. */
  decision: ComputedRef<string>;
  /** The entry or kind of rule to go to; empty for none. */
  pointedAt: ComputedRef<string>;
} => {
  const route = useRoute();
  const queryText = (name: string): string => {
    const value = route.query[name];
    return typeof value === 'string' ? value : '';
  };
  const open = computed(() => {
    const [form, of] = [queryText('form'), queryText('of')];
    if (form === '' || steps.value === undefined) return undefined;
    const entry = steps.value.find(({ type }) => type === form)?.entries.find((one) => isNamed(one, of));
    return of !== '' && entry === undefined
      ? undefined
      : { form, entry, add: queryText('add'), when: queryText('when') !== '' };
  });
  return {
    open,
    gone: computed(() =>
      steps.value === undefined || open.value !== undefined ? undefined : queryText('form') || undefined,
    ),
    decision: computed(() => queryText('decision')),
    pointedAt: computed(() => queryText('at')),
  };
};
