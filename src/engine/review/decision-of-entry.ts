import type { Entry } from '../../core/log/entry.ts';
import { type StoredRecord, expandRequest, isLean, leanRecord } from '../../core/decision/stored-record.ts';
import { parseExactJson } from '../../shared/schema/decimal.ts';
import { decisionRecord } from '../../shared/schema/decision.ts';
import { parse } from '../../shared/schema/parse.ts';
import type { ImportedDecision } from '../store/sqlite/decision-import.ts';

/**
 * The decision in a log entry's line, as it was originally made. Its `seq` is the position of the entry.
 *
 * @throws EngineError `VALIDATION` if it cannot be shown
 */
export const decisionOfEntry = (line: string): ImportedDecision => {
  const { entry: seq, body } = parseExactJson(line) as Entry;
  const record = expandRequest(body as unknown as StoredRecord);
  const settlement = record.outcome === 'sponsored' ? ('reserved' as const) : null;
  const decision = { ...record, seq, settlement, actualCostWei: null };
  return isLean(record)
    ? { ...decision, ...parse(leanRecord, record, 'decision') }
    : parse(decisionRecord, decision, 'decision');
};
