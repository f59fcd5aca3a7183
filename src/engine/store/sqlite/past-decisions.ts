import Database from 'better-sqlite3';
import { type CompactRecord, expandRecord } from '../../../core/decision/stored-record.ts';
import { parseExactJson } from '../../../shared/schema/decimal.ts';
import type { DecisionRecord } from '../../../shared/schema/decision.ts';
import type { PastDecision, PastExtent, PastQuery } from '../past-decisions.ts';

interface StoredDecision {
  seq: number;
  settlement: DecisionRecord['settlement'];
  actualCostWei: string | null;
  record: string;
}

/** Limit on the records in one read, plus one more decision: processing them takes some ms. */
const LOT_LENGTH = 256 * 1024;

/** Positions per step of the search for a time's beginning. */
const STRETCH = 5_000;

/** The position after which a time's decisions begin: a whole batch before it is older. */
const positionBefore = (database: Database.Database, paymasterId: string, from: number): number => {
  const bounds = database.prepare<[string, number], { first: number | null; newest: number }>(
    `SELECT min(seq) AS first, max(at) AS newest
     FROM (SELECT seq, at FROM decision WHERE paymaster_id = ? AND seq < ? ORDER BY seq DESC LIMIT ${STRETCH})`,
  );
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const { first = null, newest = 0 } = bounds.get(paymasterId, before) ?? {};
    if (first === null) return 0;
    if (newest < from) return before - 1;
    before = first;
  }
};

const WHERE = `paymaster_id = @paymasterId AND seq > @after AND seq <= @upTo AND outcome <> 'error'
  AND at >= @from AND at < @to`;

/**
 * Reads past decisions with its own connection, while a desk continues to write. No transaction outlasts a call, so the
 * desk's WAL can be checkpointed meanwhile.
 *
 * @throws Error of SQLite
 */
export const openSqlitePastDecisions = (file: string, { paymasterId, from = 0, to, last }: PastQuery) => {
  const database = new Database(file, { readonly: true, fileMustExist: true });
  const parameters = { paymasterId, from, to: to ?? Number.MAX_SAFE_INTEGER };
  const start = from > 0 ? positionBefore(database, paymasterId, from) : 0;
  const { first, upTo, ...extent } = database
    .prepare<[object], PastExtent & { first: number | null; upTo: number | null }>(
      `SELECT count(*) AS decisions, min(seq) AS first, max(seq) AS upTo, min(at) AS firstAt, max(at) AS lastAt
       FROM (SELECT seq, at FROM decision WHERE ${WHERE} ORDER BY seq DESC LIMIT @most)`,
    )
    .get({ ...parameters, after: start, upTo: Number.MAX_SAFE_INTEGER, most: last ?? -1 }) ?? {
    decisions: 0,
    first: null,
    upTo: null,
    firstAt: null,
    lastAt: null,
  };
  const read = database.prepare<[object], StoredDecision>(
    `SELECT seq, settlement, actual_cost_wei AS actualCostWei, record FROM decision WHERE ${WHERE} ORDER BY seq`,
  );
  const policy = database.prepare<[string], string>('SELECT policy FROM policy_revision WHERE hash = ?').pluck();
  const revisions = new Map<string, unknown>();
  const revisionOf = ({ policy: hash }: DecisionRecord): unknown => {
    if (hash === undefined) return undefined;
    if (!revisions.has(hash)) {
      const text = policy.get(hash);
      revisions.set(hash, text === undefined ? undefined : JSON.parse(text));
    }
    return revisions.get(hash);
  };
  let after = (first ?? 1) - 1;
  return {
    extent,
    next(): PastDecision[] {
      const lot: PastDecision[] = [];
      let length = 0;
      for (const { record: text, ...row } of read.iterate({ ...parameters, after, upTo: upTo ?? 0 })) {
        // Conditions compare numbers from clients, of any length.
        const record = Object.assign(expandRecord(parseExactJson(text) as CompactRecord), row);
        lot.push({ record, revision: revisionOf(record) });
        length += text.length;
        after = row.seq;
        if (length >= LOT_LENGTH) break;
      }
      return lot;
    },
    close: () => void database.close(),
  };
};
