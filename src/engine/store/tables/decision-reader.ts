import type { PastDecision } from '../../../core/decision/past-decision.ts';
import type { DecisionRecord } from '../../../shared/schema/decision.ts';
import {
  type ParsedDecision,
  type StoredDecision,
  decisionWith,
  readDecision,
  toDecision,
  toPastDecision,
} from '../decision-rows.ts';
import type { Reads } from '../rows.ts';
import { REVISIONS, policiesIn } from './policy-revisions.ts';

/** The columns of {@link StoredDecision}. */
export const STORED_DECISION = 'decision.seq, settlement, actual_cost_wei AS "actualCostWei", record';

/**
 * A read or an answer ends with the record that brings the total length to this number of characters. Processing these
 * records takes some ms.
 */
export const LOT_LENGTH = 1024 * 1024;

/** Limits the length of several records together. */
export const lengthLimit = (most: number) => {
  let length = 0;
  return {
    /** Counts a record. @returns whether the limit is reached */
    add: ({ record }: Pick<StoredDecision, 'record'>): boolean => (length += record.length) >= most,
    isReached: (): boolean => length >= most,
  };
};

/** Maximum number of revisions kept in memory. A revision with a thousand rules takes megabytes. */
const MAX_READ = 16;

/** Completes stored decisions, with the policy revisions from which their texts are derived. */
export const decisionReader = (rows: Reads) => {
  let known = new Map<string, unknown>();
  const revisionsOf = async (decisions: readonly ParsedDecision[]): Promise<ReadonlyMap<string, unknown>> => {
    const named = new Set(decisions.flatMap(({ record: { policy } }) => (policy === undefined ? [] : [policy])));
    const revisions = new Map([...known].filter(([hash]) => named.has(hash)));
    const missing = [...named].filter((hash) => !revisions.has(hash));
    if (missing.length === 0) return revisions;
    const policyOf = policiesIn(await rows.all(REVISIONS, [missing]));
    for (const hash of missing) revisions.set(hash, policyOf(hash));
    known = known.size + missing.length > MAX_READ ? revisions : new Map([...known, ...revisions]);
    return revisions;
  };
  /** Adds to each decision its policy revision in stored form; undefined if it is unknown. */
  const withRevisions = async (decisions: readonly ParsedDecision[]) => {
    const revisions = await revisionsOf(decisions);
    return decisions.map((decision) => {
      const { policy } = decision.record;
      return { decision, revision: policy === undefined ? undefined : revisions.get(policy) };
    });
  };
  const complete = async (decisions: readonly ParsedDecision[]): Promise<DecisionRecord[]> =>
    (await withRevisions(decisions)).map(({ decision, revision }) => toDecision(decision, revision));
  return {
    complete,
    withRevisions,
    past: async (stored: readonly StoredDecision[]): Promise<PastDecision[]> =>
      (await withRevisions(stored.map(readDecision))).map(({ decision, revision }) =>
        toPastDecision(decision, revision),
      ),
    /** Returns only decisions that contain a text (in lower case). */
    readWith: async (text: string, stored: readonly StoredDecision[]): Promise<DecisionRecord[]> => {
      const parsed = await withRevisions(stored.map(readDecision));
      return stored.flatMap((one, index) => {
        const read = parsed[index];
        return (read && decisionWith(text, one, read)) ?? [];
      });
    },
    read: (stored: readonly StoredDecision[]): Promise<DecisionRecord[]> => complete(stored.map(readDecision)),
  };
};
