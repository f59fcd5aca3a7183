import type { DecisionRecord } from '../../../shared/schema/decision.ts';
import { type StoredDecision, readDecision, toDecision } from '../decision-rows.ts';
import { storedPolicy } from '../policy-rows.ts';
import type { PastDecision } from '../past-decisions.ts';
import type { PolicyRevision, PolicyRevisionStore, PolicyTime } from '../policy-store.ts';
import type { Rows } from './rows.ts';
import type { Access, Transaction } from './writer.ts';

const INSERT =
  'INSERT INTO policy_revision (hash, paymaster_id, at, policy) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING';

const HISTORY = 'SELECT hash, at FROM policy_history WHERE paymaster_id = $1 ORDER BY seq DESC LIMIT $2';
const ENTER = 'INSERT INTO policy_history (paymaster_id, hash, at) VALUES ($1, $2, $3)';

/**
 * Puts a revision in force. Its text is kept forever, and each change is a log entry before the first decision under
 * it. False if it is in force already.
 */
export const enforcePolicy = async (
  tx: Transaction,
  { hash, policy }: PolicyRevision,
  { paymasterId, at }: Pick<DecisionRecord, 'paymasterId' | 'at'>,
): Promise<boolean> => {
  const last = await tx.get<PolicyTime>(HISTORY, [paymasterId, 1]);
  if (last?.hash === hash) return false;
  const isNew = (await tx.run(INSERT, [hash, paymasterId, at, JSON.stringify(policy)])) > 0;
  await tx.run(ENTER, [paymasterId, hash, at]);
  tx.log.append('policy', { paymasterId, hash, ...(isNew && { policy }) });
  return true;
};

/** Revisions of a thousand rules take megabytes. */
const MAX_READ = 16;

/** Reads stored decisions whole, with the policy revisions from which their words follow. */
export const decisionReader = (rows: Rows) => {
  let known = new Map<string, unknown>();
  const load = async (hashes: ReadonlySet<string>): Promise<void> => {
    if (known.size + hashes.size > MAX_READ) known = new Map();
    const found = await rows.all<{ hash: string; policy: string }>(
      'SELECT hash, policy FROM policy_revision WHERE hash = ANY($1::text[])',
      [[...hashes]],
    );
    for (const { hash, policy } of found) known.set(hash, JSON.parse(policy));
  };
  return async (stored: readonly StoredDecision[]): Promise<PastDecision[]> => {
    const read = stored.map(readDecision);
    const named = new Set(read.flatMap(({ record: { policy } }) => (policy === undefined ? [] : [policy])));
    if ([...named].some((hash) => !known.has(hash))) await load(named);
    const revisions = known;
    const revisionOf = (hash: string): unknown => revisions.get(hash);
    return read.map((one) => {
      const record = toDecision(one, revisionOf);
      return { record, revision: revisionOf(record.policy ?? '') };
    });
  };
};

export const policyRevisionStore = ({ rows, writer, cache }: Access): PolicyRevisionStore => ({
  async settingsChanges() {
    return (await cache.versions()).changes;
  },
  recordPolicy: (paymasterId, revision, at) => writer.run((tx) => enforcePolicy(tx, revision, { paymasterId, at })),
  policyHistory: (paymasterId, limit) => rows.all<PolicyTime>(HISTORY, [paymasterId, limit]),
  async findRevisions(paymasterId, start) {
    const found = await rows.all<{ hash: string }>(
      'SELECT hash FROM policy_revision WHERE hash >= $1 AND hash < $2 AND paymaster_id = $3 LIMIT 2',
      [start, `${start}\u{10ffff}`, paymasterId],
    );
    return found.map(({ hash }) => hash);
  },
  async findPolicy(hash) {
    const row = await rows.get<{ policy: string }>('SELECT policy FROM policy_revision WHERE hash = $1', [hash]);
    return row && storedPolicy(hash, row.policy);
  },
});
