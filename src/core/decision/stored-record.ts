import { z } from 'zod';
import { type DecisionRecord, type TraceStep, decisionRecord } from '../../shared/schema/decision.ts';
import { parseExactJson } from '../../shared/schema/decimal.ts';

/** A record without the fields that have columns of their own. */
export type WholeRecord = Omit<DecisionRecord, 'seq' | 'settlement' | 'actualCostWei' | 'policyRevision'>;

/**
 * The record of a decided operation as it is stored: without what the core derives from it. {@link explainRecord} makes
 * the whole record again.
 */
export const leanRecord = decisionRecord
  .omit({ seq: true, settlement: true, actualCostWei: true, policyRevision: true })
  .omit({ message: true, hint: true, trace: true, reservations: true, wordsDiffer: true })
  .extend({
    held: z.array(z.string().regex(/^\d{1,200}$/)).describe('What each account of the plan held before, in its order'),
    steps: z
      .array(z.string().regex(/^\S+ (?:pass|deny|skip|wouldDeny) \S+ \d+(?:\.\d+)?(?: \S+)?$/))
      .describe('The steps of the trace: rule, outcome, code, µs and, in shadow, the id of the rule'),
    traceHash: z.string().describe('SHA-256 of the trace, hex'),
  });

export type LeanRecord = Readonly<z.output<typeof leanRecord>>;

/** A record as it is stored: whole if nothing was decided, or the facts were too long to keep. */
export type StoredRecord = WholeRecord | LeanRecord;

/** A decision before it is stored: whole, or with what makes it lean. */
export type NewRecord = WholeRecord & Partial<Pick<LeanRecord, 'held' | 'traceHash'>>;

export const isLean = (record: StoredRecord | NewRecord): record is LeanRecord => 'steps' in record;

/** A step without its evidence: rule, outcome, code, µs and, in shadow, the id of the rule. */
export const stepText = ({ rule, outcome, code, micros, shadow }: TraceStep): string =>
  `${rule} ${outcome} ${code} ${micros}${shadow === undefined ? '' : ` ${shadow}`}`;

/** A step as {@link stepText} wrote it, with empty evidence. */
export const readStep = (text: string): TraceStep => {
  const [rule = '', outcome = '', code = '', micros = '', shadow] = text.split(' ');
  const step = { rule, outcome: outcome as TraceStep['outcome'], code, evidence: {}, micros: Number(micros) };
  return shadow === undefined ? step : { ...step, shadow };
};

/** The text of a trace that its hash covers: everything but durations and the exchanges with webhooks. */
export const traceText = (trace: readonly Omit<TraceStep, 'micros'>[]): string =>
  JSON.stringify(trace.map(({ rule, outcome, code, shadow, evidence }) => [rule, outcome, code, shadow, evidence]));

type Fields = Readonly<Record<string, unknown>>;

/** The parts of a request that say the same in two forms: as received, and as read. */
interface Request {
  readonly received?: unknown;
  readonly userOperation?: Fields;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The operation as received: it is the first parameter of every method. */
const receivedOperation = ({ received }: Request): Fields | undefined => {
  const first: unknown = Array.isArray(received) ? received[0] : undefined;
  return isFields(first) ? first : undefined;
};

/** Shorter values are not worth a name. */
const LONG = 20;

/** The record in its stored form, but for the request. */
const lean = (record: NewRecord | LeanRecord): StoredRecord => {
  if (isLean(record)) return record;
  const { message: _, hint: __, trace, reservations: ___, held = [], traceHash, ...rest } = record;
  return traceHash === undefined ? record : { ...rest, held, steps: trace.map(stepText), traceHash };
};

/**
 * The JSON of a record in the database. Fields of the operation that were read as received are stored once:
 * `asReceived` names them. No record has a field of that name.
 */
export const recordText = (made: NewRecord | LeanRecord): string => {
  const record = lean(made);
  const request = record.request as Request | null | undefined;
  const received = isFields(request) ? receivedOperation(request) : undefined;
  if (received === undefined || !isFields(request?.userOperation)) return JSON.stringify(record);
  const asReceived: string[] = [];
  const entries = Object.entries(request.userOperation).map(([field, value]) => {
    if (typeof value !== 'string' || value.length <= LONG || value !== received[field]) return [field, value] as const;
    asReceived.push(field);
    return [field, 0] as const;
  });
  const userOperation = Object.fromEntries(entries);
  return JSON.stringify({ ...record, request: { ...request, userOperation }, asReceived });
};

/** A record as {@link recordText} writes it. `asReceived` is absent if the request has no operation. */
export type CompactRecord = StoredRecord & { readonly asReceived?: readonly string[] };

/** The record that {@link recordText} wrote. Numbers keep all their digits. */
export const readRecord = (text: string): StoredRecord => expandRequest(parseExactJson(text) as CompactRecord);

/** A parsed record with its whole request. */
export const expandRequest = ({ asReceived, ...record }: CompactRecord): StoredRecord => {
  if (asReceived === undefined) return record;
  const request = record.request as Request;
  const received = receivedOperation(request);
  const same = asReceived.map((field) => [field, received?.[field]] as const);
  record.request = { ...request, userOperation: { ...request.userOperation, ...Object.fromEntries(same) } };
  return record;
};
