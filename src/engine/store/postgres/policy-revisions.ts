import type { Policy } from '../../../core/policy.ts';
import type { DecisionRecord } from '../../../shared/schema/decision.ts';
import type { PolicyRevision, PolicyRevisionStore, PolicyTime } from '../policy-store.ts';
import type { Access, Writing } from './writer.ts';

const INSERT =
  'INSERT INTO policy_revision (hash, paymaster_id, at, policy) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING';

/** Keeps a revision, for ever, with when it was first seen, and enters a new one in the log. */
export const savePolicyRevision = async (
  tx: Writing,
  { hash, policy }: PolicyRevision,
  { paymasterId, at }: Pick<DecisionRecord, 'paymasterId' | 'at'>,
): Promise<void> => {
  const added = await tx.run(INSERT, [hash, paymasterId, at, JSON.stringify(policy)]);
  if (added > 0) tx.log.append('policy', { paymasterId, hash, policy });
};

const HISTORY = 'SELECT hash, at FROM policy_history WHERE paymaster_id = $1 ORDER BY seq DESC LIMIT $2';

/** Which policies were in force when, in PostgreSQL. */
export const policyRevisionStore = ({ rows, writer, cache }: Access): PolicyRevisionStore => ({
  async settingsChanges() {
    return (await cache.versions()).changes;
  },
  recordPolicy: (paymasterId, revision, at) =>
    writer.run(async (tx) => {
      const last = await tx.get<PolicyTime>(HISTORY, [paymasterId, 1]);
      if (last?.hash === revision.hash) return false;
      await savePolicyRevision(tx, revision, { paymasterId, at });
      const entry = [paymasterId, revision.hash, at];
      await tx.run('INSERT INTO policy_history (paymaster_id, hash, at) VALUES ($1, $2, $3)', entry);
      return true;
    }),
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
    return row && (JSON.parse(row.policy) as Policy);
  },
});
