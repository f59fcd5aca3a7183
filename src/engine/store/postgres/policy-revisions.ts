import type { DecisionRecord } from '../../../shared/schema/decision.ts';
import { storedPolicy } from '../policy-rows.ts';
import type { PolicyRevision, PolicyRevisionStore, PolicyTime } from '../policy-store.ts';
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
