import { type ComputedRef, computed } from 'vue';
import { type LocationQueryValue, useRoute, useRouter } from 'vue-router';
import { decidingRules } from '../../../../core/decision/rule-words.ts';
import type { DecisionFilter } from './decision-list.ts';
import { LONGEST_TEXT } from './searched.ts';

export const spans: Readonly<Record<string, { label: string; ms: number }>> = {
  hour: { label: 'Last hour', ms: 3_600_000 },
  day: { label: 'Last 24 hours', ms: 86_400_000 },
  week: { label: 'Last 7 days', ms: 7 * 86_400_000 },
};

/** `hash` is a userOpHash; `from` and `to` are local times in the format of `datetime-local`. */
const FIELDS = [
  'dapp',
  'sender',
  'hash',
  'decision',
  'text',
  'outcome',
  'rule',
  'wouldDeny',
  'span',
  'from',
  'to',
] as const;

export type FilterFields = Readonly<Record<(typeof FIELDS)[number], string | undefined>>;

type QueryValue = LocationQueryValue | LocationQueryValue[] | undefined;
const text = (value: QueryValue): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const OUTCOMES = ['sponsored', 'denied', 'error'] as const;
const HEX = { sender: /^0x[0-9a-fA-F]{40}$/, hash: /^0x[0-9a-fA-F]{64}$/ };
const isHex = (text: string, kind: keyof typeof HEX): text is `0x${string}` => HEX[kind].test(text);

const timeOf = (local: string | undefined): number | undefined => {
  const at = local === undefined ? NaN : Date.parse(local);
  return Number.isNaN(at) ? undefined : at;
};

/** Filters whose text is used unchanged. */
const textFilters = ({ dapp, decision, text: searched, wouldDeny }: FilterFields): Partial<DecisionFilter> => ({
  ...(dapp !== undefined && { paymasterId: dapp }),
  ...(decision !== undefined && { decisionId: decision }),
  ...(searched !== undefined && { text: searched.slice(0, LONGEST_TEXT) }),
  ...(wouldDeny !== undefined && { wouldDeny }),
});

const filterOf = (fields: FilterFields, now: number): DecisionFilter => {
  const { sender, hash, span } = fields;
  const outcome = OUTCOMES.find((one) => one === fields.outcome);
  const rule = decidingRules.find((one) => one === fields.rule);
  const back = span === undefined ? undefined : spans[span];
  const from = back === undefined ? timeOf(fields.from) : Math.max(0, now - back.ms);
  const to = back === undefined ? timeOf(fields.to) : undefined;
  return {
    ...textFilters(fields),
    ...(sender !== undefined && isHex(sender, 'sender') && { sender }),
    ...(hash !== undefined && isHex(hash, 'hash') && { userOpHash: hash }),
    ...(outcome !== undefined && { outcome }),
    ...(rule !== undefined && { rule }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
};

/** The filter of the decisions page. It is part of the page's address, so that links and the Back button work. */
export const useDecisionFilter = (
  now: () => number,
): {
  fields: ComputedRef<FilterFields>;
  filter: ComputedRef<DecisionFilter>;
  isNarrowed: ComputedRef<boolean>;
  /** Changes fields. The Back button undoes the change; letters of the same word count as one change. */
  change: (changed: Partial<Record<keyof FilterFields, string | null>>, isTyping?: boolean) => void;
  clear: () => void;
} => {
  const route = useRoute();
  const router = useRouter();
  const fields = computed(
    () => Object.fromEntries(FIELDS.map((name) => [name, text(route.query[name])])) as FilterFields,
  );
  return {
    fields,
    filter: computed(() => filterOf(fields.value, now())),
    isNarrowed: computed(() => Object.values(fields.value).some((value) => value !== undefined)),
    change(changed, isTyping = false) {
      const query = Object.entries({ ...route.query, ...changed }).filter(
        ([, value]) => value !== null && value !== '',
      );
      const to = { query: Object.fromEntries(query) };
      void (isTyping ? router.replace(to) : router.push(to));
    },
    clear: () => void router.push({ query: {} }),
  };
};
