import Database from 'better-sqlite3';
import { type StoredDecision, readDecision, toDecision } from '../decision-rows.ts';
import type { PastDecision, PastExtent, PastQuery } from '../past-decisions.ts';
import { policyRevisions } from './policy-revisions.ts';

/**
 * A read ends once its records have this many characters, so it may exceed the limit by one decision. Processing that
 * much takes a few ms.
 */
const LOT_LENGTH = 256 * 1024;

/** The search for the first decision of a period goes back this many of the DApp's decisions at a time. */
const STRETCH = 5_000;

/** A position before the first decision made at `from` or later: all decisions of the next older step are older. */
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
 * Reads past decisions with its own connection, while the engine continues to write. No transaction outlasts a call, so
 * the engine's WAL can be checkpointed meanwhile.
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
  const revisions = policyRevisions(database);
  let after = (first ?? 1) - 1;
  return {
    extent,
    next(): PastDecision[] {
      const lot: PastDecision[] = [];
      let length = 0;
      for (const row of read.iterate({ ...parameters, after, upTo: upTo ?? 0 })) {
        const record = toDecision(readDecision(row), (hash) => revisions.read(hash));
        lot.push({ record, revision: record.policy === undefined ? undefined : revisions.read(record.policy) });
        length += row.record.length;
        after = row.seq;
        if (length >= LOT_LENGTH) break;
      }
      return lot;
    },
    close: () => void database.close(),
  };
};
