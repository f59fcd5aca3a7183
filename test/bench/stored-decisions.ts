import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import { explainRecord } from '../../src/core/decision/explain-record.ts';
import { isLean, readRecord } from '../../src/core/decision/stored-record.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { systemClock } from '../../src/engine/base/clock.ts';
import type { DecisionDraft } from '../../src/engine/store/decision-store.ts';
import { openSqliteStore } from '../../src/engine/store/sqlite/sqlite-store.ts';
import { senders } from './operations.ts';

/** Decisions per commit. */
const BATCH = 1_000;

/** The newest decision of a database, as the engine hands it to the store. */
const newestDecision = (file: string): DecisionDraft => {
  const database = new Database(file, { readonly: true });
  try {
    const text = database.prepare<[], string>('SELECT record FROM decision ORDER BY seq DESC LIMIT 1').pluck().get();
    const policies = database.prepare<[string], string>('SELECT policy FROM policy_revision WHERE hash = ?').pluck();
    const stored = readRecord(text ?? '');
    if (!isLean(stored)) throw new Error('The newest decision was not decided');
    const { held, traceHash, facts, request } = stored;
    const whole = explainRecord(stored, JSON.parse(policies.get(stored.policy ?? '') ?? 'null'));
    return { ...whole, held, traceHash, facts, request, settlement: 'settled', actualCostWei: '1000000000000000' };
  } finally {
    database.close();
  }
};

/** Hash of the decision with this number, 64 hex digits. */
export const hashOf = (n: number): string => createHash('sha256').update(String(n)).digest('hex');

const hexOf = (n: number, bytes: number): string => n.toString(16).padStart(bytes * 2, '0');

/** The request of another user. */
const requestOf = (request: unknown, sender: string, nonce: number): unknown => {
  const { received, userOperation, ...rest } = request as { received: object[]; userOperation: object };
  const changed = { sender, nonce: `0x${nonce.toString(16)}` };
  const [operation, ...options] = received;
  return {
    ...rest,
    received: [{ ...operation, ...changed }, ...options],
    userOperation: { ...userOperation, ...changed },
  };
};

/**
 * Stores copies of the newest decision, one per user in turn, with the engine's own writer: each is an entry of the log, and
 * of the search index.
 * No engine may run on the file.
 *
 * @param everyMs time between two decisions
 */
export const storeDecisions = async (file: string, count: number, everyMs = 1_000): Promise<void> => {
  const newest = newestDecision(file);
  const store = openSqliteStore(file, { clock: systemClock, log: createLog({ level: 'error' }) });
  const copy = (n: number): DecisionDraft => {
    const sender = senders[n % senders.length] ?? '';
    return {
      ...newest,
      id: `00000000-0000-7000-8000-${hexOf(n, 6)}`,
      at: newest.at - (count - n) * everyMs,
      sender,
      nonce: String(n),
      userOpHash: `0x${hashOf(n)}`,
      request: requestOf(newest.request, sender, n),
    };
  };
  try {
    for (let first = 0; first < count; first += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, count - first) }, (_, index) => copy(first + index));
      await Promise.all(batch.map((decision) => store.appendDecision(decision)));
    }
    // A running engine does this meanwhile, a second's part at a time.
    while (await store.fillSearchIndex(true));
  } finally {
    await store.close();
  }
};
