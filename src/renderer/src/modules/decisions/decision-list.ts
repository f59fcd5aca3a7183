import { type Ref, computed, ref, shallowRef, watch } from 'vue';
import type { ProcedureInput } from '../../../../api/index.ts';
import type { ListedDecision } from '../../../../api/decisions.ts';
import type { DecisionRow } from '../../../../shared/schema/decision.ts';
import { RECENT, useDesk } from '../../desk/desk-store.ts';
import { errorText } from '../../desk/use-loaded.ts';
import { useTransport } from '../../transport/transport.ts';

export type DecisionFilter = Omit<ProcedureInput<'decisions.list'>, 'limit' | 'before'>;

/**
 * Text of the button that shows new decisions. If the list is filtered by text, the new decisions may not match,
 * because only the engine can search the text.
 */
export const waitingWords = (count: number, { text }: DecisionFilter = {}): string => {
  // The store keeps at most this many, so there may be more.
  const amount = count >= RECENT ? `${RECENT}+` : String(count);
  const words = `${amount} new ${count === 1 ? 'decision' : 'decisions'}`;
  return text === undefined ? words : `Search ${words}`;
};

/** Decisions, newest first, loaded as the operator scrolls. */
export interface DecisionList {
  readonly rows: Readonly<Ref<readonly ListedDecision[]>>;
  readonly isLoading: Readonly<Ref<boolean>>;
  readonly isEnd: Readonly<Ref<boolean>>;
  readonly error: Readonly<Ref<string | undefined>>;
  /** Number of new decisions above the first row that are not shown yet. */
  readonly waiting: Readonly<Ref<number>>;
  readonly loadMore: () => Promise<void>;
  /** Reloads the list, starting with the newest decision. */
  readonly reload: () => Promise<void>;
}

/** True if a row matches a filter. Ignores `text`, because rows do not contain what it searches. */
const matches = (row: DecisionRow, filter: DecisionFilter): boolean => {
  const { paymasterId, sender, outcome, rule, to, userOpHash, decisionId } = filter;
  // A search for a single decision never has new results.
  if (userOpHash !== undefined || decisionId !== undefined) return false;
  return (
    (paymasterId === undefined || row.paymasterId === paymasterId) &&
    (sender === undefined || row.sender.toLowerCase() === sender.toLowerCase()) &&
    (outcome === undefined || row.outcome === outcome) &&
    (rule === undefined || row.rule === rule) &&
    (to === undefined || row.at < to)
  );
};

/**
 * The decisions that match a filter. New ones wait until the operator asks for them, so that rows do not move while
 * someone reads them.
 */
export const useDecisionList = (filter: () => DecisionFilter, pageSize: number): DecisionList => {
  const desk = useDesk();
  const transport = useTransport();
  const listed = shallowRef<readonly ListedDecision[]>([]);
  /** Updated with later settlements. */
  const rows = computed(() =>
    listed.value.map((row): ListedDecision => {
      const settled = desk.settled.get(row.id);
      return settled === undefined ? row : { ...row, ...settled };
    }),
  );
  const isLoading = ref(false);
  const isEnd = ref(false);
  const error = ref<string>();
  /** The highest `seq` that the last read from the top could have included. */
  let readUpTo = 0;
  let latest = 0;

  const read = async (before?: number): Promise<void> => {
    const mine = (latest += 1);
    isLoading.value = true;
    const seenBefore = desk.recent[0]?.seq ?? 0;
    try {
      const end = before === undefined ? {} : { before };
      const page = await transport.call('decisions.list', { ...filter(), ...end, limit: pageSize });
      if (mine !== latest) return;
      if (before === undefined) readUpTo = Math.max(seenBefore, page[0]?.seq ?? 0);
      listed.value = before === undefined ? page : [...listed.value, ...page];
      isEnd.value = page.length < pageSize;
      error.value = undefined;
    } catch (cause) {
      if (mine === latest) error.value = errorText(cause);
    } finally {
      if (mine === latest) isLoading.value = false;
    }
  };

  const reload = (): Promise<void> => read();
  const waiting = computed(() => {
    // Decisions that were already read are not new. Reading `rows` here makes this recompute when they change.
    const seen = Math.max(readUpTo, rows.value[0]?.seq ?? 0);
    return desk.recent.filter((row) => row.seq > seen && matches(row, filter())).length;
  });
  watch(filter, () => void reload(), { deep: true, immediate: true });
  // An empty list has no rows that could move. One that is loading may include them.
  watch([waiting, isLoading], ([count, loads]) => {
    if (count > 0 && !loads && error.value === undefined && rows.value.length === 0) void reload();
  });
  watch(
    () => desk.connection,
    (connection) => {
      if (connection === 'connected' && error.value !== undefined) void reload();
    },
  );
  return {
    rows,
    isLoading,
    isEnd,
    error,
    waiting,
    reload,
    async loadMore() {
      const last = rows.value.at(-1);
      if (!isLoading.value && !isEnd.value && last !== undefined) await read(last.seq);
    },
  };
};
