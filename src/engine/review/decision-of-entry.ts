import type { Entry } from '../../core/log/entry.ts';
import { type CompactRecord, expandRecord } from '../../core/decision/stored-record.ts';
import { parseExactJson } from '../../shared/schema/decimal.ts';
import { type DecisionRecord, decisionRecord } from '../../shared/schema/decision.ts';
import { parse } from '../../shared/schema/parse.ts';

/**
 * The decision in a log entry's line, as it was originally made.
 *
 * @throws EngineError `VALIDATION` if it cannot be shown
 */
export const decisionOfEntry = (line: string, seq: number): DecisionRecord => {
  const { body } = parseExactJson(line) as Entry;
  const record = expandRecord(body as unknown as CompactRecord);
  const settlement = record.outcome === 'sponsored' ? 'reserved' : null;
  return parse(decisionRecord, { ...record, seq, settlement, actualCostWei: null }, 'decision');
};
