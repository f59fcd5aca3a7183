import { z } from 'zod';
import { type DecisionRecord, type TraceStep, decisionRecord } from '../../shared/schema/decision.ts';
import { parseExactJson } from '../../shared/schema/decimal.ts';

/** A record without the fields that have columns of their own. */
export type WholeRecord = Omit<DecisionRecord, 'seq' | 'settlement' | 'actualCostWei' | 'policyRevision'>;

/**
 * The record of a decided operation in its stored form, which omits everything that the core can derive.
 * {@link explainRecord} restores the complete record.
 */
export const leanRecord = decisionRecord
  .omit({ seq: true, settlement: true, actualCostWei: true, policyRevision: true })
  .omit({ message: true, hint: true, trace: true, reservations: true, wordsDiffer: true })
  .extend({
    held: z
      .array(z.string().regex(/^\d{1,200}$/))
      .describe('Amount in each ledger account before the decision, in the order of the reservations'),
    steps: z
      .array(z.string().regex(/^(?:\d{1,5}x )?\S+ (?:pass|deny|skip|wouldDeny) \S+ \d+(?:\.\d+)?(?: \S+)?$/))
      .describe(
        'The steps of the trace: rule, outcome, code, duration in µs and, for a shadow rule, its id. Equal steps in a row are one text, which begins with their number and x',
      ),
    traceHash: z.string().describe('SHA-256 of the trace, hex'),
  });

export type LeanRecord = Readonly<z.output<typeof leanRecord>>;

/** A record as it is stored: complete if nothing was decided, or if the facts were too long to store. */
export type StoredRecord = WholeRecord | LeanRecord;

/** A decision before it is stored: complete, or with the fields from which the lean form is made. */
export type NewRecord = WholeRecord & Partial<Pick<LeanRecord, 'held' | 'traceHash'>>;

/** Fields that settlement changes are stored in separate columns. */
type Settled = Partial<Pick<DecisionRecord, 'settlement' | 'actualCostWei'>>;

export const isLean = (record: StoredRecord | NewRecord): record is LeanRecord => 'steps' in record;

/** A step without its evidence: rule, outcome, code, µs and, in shadow, the id of the rule. */
export const stepText = ({ rule, outcome, code, micros, shadow }: TraceStep): string =>
  `${rule} ${outcome} ${code} ${micros}${shadow === undefined ? '' : ` ${shadow}`}`;

/** Reads a step that {@link stepText} wrote. Its evidence is empty. */
export const readStep = (text: string): TraceStep => {
  const [rule = '', outcome = '', code = '', micros = '', shadow] = text.split(' ');
  const step = { rule, outcome: outcome as TraceStep['outcome'], code, evidence: {}, micros: Number(micros) };
  return shadow === undefined ? step : { ...step, shadow };
};

/** Maximum number of steps that one text stands for, and that the texts of a record stand for. */
const MOST_ALIKE = 99_999;

const areAlike = (one: TraceStep, other: TraceStep): boolean =>
  one.code === other.code &&
  one.rule === other.rule &&
  one.outcome === other.outcome &&
  one.micros === other.micros &&
  one.shadow === other.shadow;

/** The steps of a trace in their stored form, in which equal steps in a row are one text: `3x` and {@link stepText}. */
export const stepTexts = (trace: readonly TraceStep[]): string[] => {
  const texts: string[] = [];
  let first = 0;
  for (const [index, step] of trace.entries()) {
    const next = trace[index + 1];
    const count = index + 1 - first;
    if (next !== undefined && count < MOST_ALIKE && areAlike(step, next)) continue;
    texts.push(count === 1 ? stepText(step) : `${count}x ${stepText(step)}`);
    first = index + 1;
  }
  return texts;
};

const ALIKE = /^([1-9]\d{0,4})x (.*)$/;

/** A text for each step that {@link stepTexts} wrote. */
export const singleSteps = (texts: readonly string[]): string[] => {
  const single: string[] = [];
  for (const text of texts) {
    const [, count = '1', step = text] = ALIKE.exec(text) ?? [];
    // An export may name any number of steps.
    if (single.length + Number(count) > MOST_ALIKE) single.push(text);
    else for (let left = Number(count); left > 0; left -= 1) single.push(step);
  }
  return single;
};

type TextStep = Omit<TraceStep, 'micros'>;

/**
 * Adds the values of evidence to a list if it has exactly these fields. Runs for every step, so it creates no list of
 * names.
 */
const addValues = (list: unknown[], evidence: TraceStep['evidence'], names: readonly string[]): boolean => {
  const before = list.length;
  let count = 0;
  let isAlike = true;
  for (const name in evidence) {
    isAlike &&= name === names[count];
    list.push(evidence[name]);
    count += 1;
  }
  if (isAlike && count > 0 && count === names.length) return true;
  list.length = before;
  return false;
};

/**
 * The text of a trace that its hash covers: everything except durations and webhook calls. Steps in a row that differ
 * only in the values of their evidence are one list, so that the names of the fields are not repeated.
 */
export const traceText = (trace: readonly TextStep[]): string => {
  const lists: unknown[][] = [];
  let list: unknown[] = [];
  let before: TextStep | undefined;
  let names: readonly string[] = [];
  for (const step of trace) {
    const { rule, outcome, code, shadow, evidence } = step;
    const isAlike =
      before?.code === code && before.rule === rule && before.outcome === outcome && before.shadow === shadow;
    before = step;
    if (isAlike && addValues(list, evidence, names)) continue;
    names = Object.keys(evidence);
    list = [rule, outcome, code, shadow ?? null, names, ...Object.values(evidence)];
    lists.push(list);
  }
  return JSON.stringify(lists);
};

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The parts of a request that repeat a parameter, with the index of the parameter. */
const REPEATED = { userOperation: 0, options: 1 } as const;

type Part = keyof typeof REPEATED;

const parts = Object.keys(REPEATED) as Part[];

/** The parameter that a part repeats; undefined if it is not an object. */
const receivedPart = ({ received }: Fields, part: Part): Fields | undefined => {
  const parameter: unknown = Array.isArray(received) ? received[REPEATED[part]] : undefined;
  return isFields(parameter) ? parameter : undefined;
};

const isSameJson = (one: unknown, other: unknown): boolean =>
  one === other || (typeof one === 'object' && one !== null && JSON.stringify(one) === JSON.stringify(other));

const ownValue = (fields: Fields, field: string): unknown => (Object.hasOwn(fields, field) ? fields[field] : undefined);

/** The fields with the changes applied. A change to `null` removes a field. */
const withChanges = (fields: Fields, changes: Fields): Fields => {
  const kept = Object.entries(fields).map(([field, value]) => [field, ownValue(changes, field) ?? value] as const);
  const added = Object.entries(changes).filter(([field]) => !Object.hasOwn(fields, field));
  return Object.fromEntries([...kept, ...added].filter(([field]) => ownValue(changes, field) !== null));
};

/** Adds a field of any name. An object without a prototype would need no such care, but V8 writes its JSON slowly. */
const addField = (fields: Record<string, unknown>, name: string, value: unknown): void => {
  if (name === '__proto__') Object.defineProperty(fields, name, { value, enumerable: true });
  else fields[name] = value;
};

/**
 * How fields differ from others; undefined if applying these changes to the others would not give the same text. Runs
 * for every decision, so it creates no lists of entries.
 */
const changesFrom = (others: Fields, fields: Fields): Fields | undefined => {
  const changes: Record<string, unknown> = {};
  const names = Object.keys(fields);
  let next = 0;
  for (const name of Object.keys(others)) {
    const value = ownValue(fields, name);
    if (value === undefined) {
      addField(changes, name, null);
      continue;
    }
    if (value === null || names[next] !== name) return undefined;
    next += 1;
    if (!isSameJson(value, others[name])) addField(changes, name, value);
  }
  for (const name of names.slice(next)) {
    const value = fields[name];
    if (value === null || Object.hasOwn(others, name)) return undefined;
    addField(changes, name, value);
  }
  return changes;
};

/**
 * Converts a request to the form of stored records: parts that repeat a parameter contain only what differs from it.
 */
export const compactRequest = (request: unknown): unknown => {
  if (!isFields(request)) return request;
  const changes: Partial<Record<Part, Fields>> = {};
  for (const part of parts) {
    const [value, received] = [request[part], receivedPart(request, part)];
    const changed = isFields(value) && received !== undefined ? changesFrom(received, value) : undefined;
    if (changed !== undefined) changes[part] = changed;
  }
  if (Object.keys(changes).length === 0) return request;
  const compact: Record<string, unknown> = {};
  for (const name of Object.keys(request)) {
    if (!Object.hasOwn(changes, name)) addField(compact, name, request[name]);
  }
  compact['changes'] = changes;
  return compact;
};

/** The inverse of {@link compactRequest}. */
const wholeRequest = (request: unknown): unknown => {
  if (!isFields(request) || !isFields(request['changes'])) return request;
  const { changes, received, calls } = request;
  const read = (part: Part): unknown => {
    const changed = changes[part];
    return isFields(changed) ? withChanges(receivedPart(request, part) ?? {}, changed) : request[part];
  };
  const whole = { received, userOperation: read('userOperation'), options: read('options') };
  return calls === undefined ? whole : { ...whole, calls };
};

/**
 * Converts a record to its stored form, field by field: this runs for every decision, and copying the remaining fields
 * with a spread is slow.
 */
const leanOf = (record: NewRecord, traceHash: string): LeanRecord => ({
  id: record.id,
  at: record.at,
  method: record.method,
  mode: record.mode,
  chainId: record.chainId,
  entryPoint: record.entryPoint,
  paymasterId: record.paymasterId,
  dapp: record.dapp,
  sender: record.sender,
  nonce: record.nonce,
  userOpHash: record.userOpHash,
  outcome: record.outcome,
  code: record.code,
  rule: record.rule,
  paymasterAndData: record.paymasterAndData,
  validAfter: record.validAfter,
  validUntil: record.validUntil,
  maxCostWei: record.maxCostWei,
  request: compactRequest(record.request),
  facts: record.facts,
  policy: record.policy,
  engine: record.engine,
  held: record.held ?? [],
  steps: stepTexts(record.trace),
  traceHash,
});

/**
 * The JSON of a record in the database, without the fields that settlement changes. `request.changes` contains how the
 * request as read differs from the request as received.
 */
export const recordText = (record: (NewRecord | LeanRecord) & Settled): string => {
  if (!isLean(record) && record.traceHash !== undefined) return JSON.stringify(leanOf(record, record.traceHash));
  const { settlement: _, actualCostWei: __, ...rest } = record;
  return JSON.stringify({ ...rest, request: compactRequest(record.request) });
};

/** Reads a record that {@link recordText} wrote. Numbers keep all their digits. */
export const readRecord = (text: string): StoredRecord => expandRequest(parseExactJson(text) as StoredRecord);

/** A parsed record with its complete request. */
export const expandRequest = (record: StoredRecord): StoredRecord => ({
  ...record,
  request: wholeRequest(record.request),
});
