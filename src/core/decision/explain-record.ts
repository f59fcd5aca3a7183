import { sha256 } from 'ethers';
import { cutForRecord } from '../json/cut-for-record.ts';
import type { Facts } from '../facts/facts.ts';
import type { Policy } from '../policy/policy.ts';
import type { RuleInput } from '../rules/rule.ts';
import { readRevision } from '../policy/revision.ts';
import { ruleInput } from './rule-input.ts';
import { type MeasuredStep, type Verdict, decidePlanned, planOperation } from './decide.ts';
import { callsOf, decidedWords, readableFacts, reservationRecords, storedFacts } from './record.ts';
import {
  type LeanRecord,
  type StoredRecord,
  type WholeRecord,
  isLean,
  readStep,
  singleSteps,
  stepText,
  traceText,
} from './stored-record.ts';

/** The hash of a trace as records store it. */
export const traceHash = (steps: Parameters<typeof traceText>[0]): string =>
  sha256(new TextEncoder().encode(traceText(steps))).slice(2);

type Decided = Extract<Verdict, { next: 'done' }>;

interface Again {
  readonly input: RuleInput;
  readonly held: readonly bigint[];
  readonly verdict: Decided;
}

/** Decides a stored operation again; undefined if this needs facts that the record does not contain. */
const again = ({ held: stored }: LeanRecord, facts: Facts, policy: Policy): Again | undefined => {
  const planned = planOperation(facts, policy);
  const held = planned.reservations.map((_, index) => BigInt(stored[index] ?? 0));
  const verdict = decidePlanned(planned, held);
  return verdict.next === 'done' ? { input: planned.input, held, verdict } : undefined;
};

/** The steps with their stored durations; undefined if the record contains different steps. */
const measured = (steps: readonly MeasuredStep[], texts: readonly string[]): readonly MeasuredStep[] | undefined => {
  const stored = singleSteps(texts);
  const timed = steps.map((step, index) => ({ ...step, micros: readStep(stored[index] ?? '').micros }));
  const isSame = timed.length === stored.length && timed.every((step, index) => stepText(step) === stored[index]);
  return isSame ? timed : undefined;
};

/**
 * Decides a stored operation again; undefined if this version of Gasdesk decides it differently.
 *
 * @throws Error if it cannot read the operation
 */
export const decidedTheSame = (
  record: LeanRecord,
  facts: Facts,
  policy: Policy,
): (Again & { readonly trace: readonly MeasuredStep[] }) | undefined => {
  const decided = again(record, facts, policy);
  const trace = decided && measured(decided.verdict.steps, record.steps);
  return trace && { ...decided, trace };
};

const operationOf = ({ request }: LeanRecord): Readonly<Record<string, unknown>> =>
  (request as { readonly userOperation?: Readonly<Record<string, unknown>> }).userOperation ?? {};

/** What can be shown of a decision that cannot be reproduced: its codes. @param why a sentence */
const byCodes = ({ held: _, steps, traceHash: __, ...record }: LeanRecord, why: string): WholeRecord => ({
  ...record,
  message: `${why} Only the codes that were stored are shown.`,
  hint: '',
  trace: singleSteps(steps).map(readStep),
  wordsDiffer: true,
});

const NO_POLICY = 'The policy of this decision is not known here.';
const UNKNOWN_FORM = 'This version of Gasdesk cannot read the facts or the policy of this decision.';
const decidesOtherwise = ({ engine = '' }: LeanRecord): string =>
  `Gasdesk ${engine} made this decision, and this version decides it differently.`;

const callsForRecord = (input: RuleInput): unknown => cutForRecord(callsOf(input));

const inWords = (record: LeanRecord, facts: Facts, policy: Policy): WholeRecord => {
  const decided = decidedTheSame(record, facts, policy);
  if (decided === undefined) return byCodes(record, decidesOtherwise(record));
  const { held: _, steps: __, traceHash: stored, ...rest } = record;
  const { trace, verdict } = decided;
  const { taken, reason } = verdict;
  return {
    ...rest,
    ...decidedWords(decided.input, reason),
    request: { ...(record.request as object), calls: callsForRecord(decided.input) },
    trace: trace.map((step) => ({ ...step })),
    facts: storedFacts(facts, operationOf(record)),
    reservations: reservationRecords(taken, decided.held),
    ...(traceHash(trace) !== stored && { wordsDiffer: true }),
  };
};

/** The facts and the policy of a record; undefined if this version cannot read them. */
const readable = (record: LeanRecord, revision: unknown): { facts: Facts; policy: Policy } | undefined => {
  const facts = readableFacts(record);
  const known = readRevision(revision);
  if (facts === undefined || known === undefined || known.hash !== record.policy) return undefined;
  return { facts, policy: known.policy };
};

/**
 * The calls of a stored operation, as {@link explainRecord} adds them, but without deciding the operation again.
 *
 * @returns undefined if this version cannot read them
 */
export const explainCalls = (record: LeanRecord, revision: unknown): unknown => {
  const read = readable(record, revision);
  try {
    return read && callsForRecord(ruleInput(read.facts, read.policy));
  } catch {
    return undefined;
  }
};

/**
 * Expands a stored record to the complete one, with the trace, texts, calls and reservations that follow from its
 * facts. If the policy is unknown, or this version of Gasdesk decides differently, the result contains only the
 * codes of the steps, and `wordsDiffer`.
 *
 * @param revision the policy revision that the record names, as it was stored; undefined if unknown
 */
export const explainRecord = (record: StoredRecord, revision: unknown): WholeRecord => {
  if (!isLean(record)) return record;
  if (revision === undefined) return byCodes(record, NO_POLICY);
  const read = readable(record, revision);
  if (read === undefined) return byCodes(record, UNKNOWN_FORM);
  try {
    return inWords(record, read.facts, read.policy);
  } catch {
    return byCodes(record, UNKNOWN_FORM);
  }
};
