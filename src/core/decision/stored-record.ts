import type { DecisionRecord } from '../../shared/schema/decision.ts';
import { parseExactJson } from '../../shared/schema/decimal.ts';

/** A record without the fields that have columns of their own. */
export type StoredRecord = Omit<DecisionRecord, 'seq' | 'settlement' | 'actualCostWei'>;

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

/**
 * The JSON of a record in the database. Fields of the operation that were read as received are stored once:
 * `asReceived` names them. No record has a field of that name.
 */
export const recordText = (record: StoredRecord): string => {
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
export const readRecord = (text: string): StoredRecord => expandRecord(parseExactJson(text) as CompactRecord);

/** A parsed record with everything that it omits. */
export const expandRecord = ({ asReceived, ...record }: CompactRecord): StoredRecord => {
  if (asReceived === undefined) return record;
  const request = record.request as Request;
  const received = receivedOperation(request);
  const same = asReceived.map((field) => [field, received?.[field]] as const);
  record.request = { ...request, userOperation: { ...request.userOperation, ...Object.fromEntries(same) } };
  return record;
};
