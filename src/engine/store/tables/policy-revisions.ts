import { type Policy, policyHash } from '../../../core/policy/policy.ts';
import { EngineError } from '../../../shared/errors.ts';
import type { DecisionRecord } from '../../../shared/schema/decision.ts';
import type { PolicyRevision, PolicyTime } from '../policy-store.ts';
import type { Access, LogEntries } from '../access.ts';
import type { StepRows, Steps } from '../rows.ts';

/** The decision that first uses a revision. */
export type FirstUse = Pick<DecisionRecord, 'paymasterId' | 'at'>;

const HISTORY = 'SELECT hash, at FROM policy_history WHERE paymaster_id = $1 ORDER BY seq DESC LIMIT $2';

export const isPolicyOf = (hash: string, json: string): boolean => {
  try {
    return policyHash(JSON.parse(json) as Policy) === hash;
  } catch {
    return false;
  }
};

/** The policy in a stored revision's text. @throws EngineError `STORAGE_FAILED` if it does not match its hash */
const storedPolicy = (hash: string, json: string): Policy => {
  if (isPolicyOf(hash, json)) return JSON.parse(json) as Policy;
  const message = `The stored policy revision ${hash} is damaged: its text has another hash. Restore a backup`;
  throw new EngineError('STORAGE_FAILED', message, { revision: hash });
};

/** Stores a revision permanently, with the time of its first use. False if it already exists. */
export const saveRevision = function* (
  tx: StepRows,
  { hash, policy }: { readonly hash: string; readonly policy: unknown },
  { paymasterId, at }: FirstUse,
): Steps<boolean> {
  const insert = `INSERT INTO policy_revision (hash, paymaster_id, at, policy) VALUES ($1, $2, $3, $4)
    ON CONFLICT DO NOTHING`;
  return (yield* tx.run(insert, [hash, paymasterId, at, JSON.stringify(policy)])) > 0;
};

/**
 * Puts a revision in force: appends a log entry before the first decision that uses it. False if it is already in
 * force.
 */
export const enforcePolicy = function* (
  tx: StepRows,
  log: Pick<LogEntries, 'append'>,
  revision: PolicyRevision,
  { paymasterId, at }: FirstUse,
): Steps<boolean> {
  const { hash, policy } = revision;
  const last = yield* tx.get<PolicyTime>(HISTORY, [paymasterId, 1]);
  if (last?.hash === hash) return false;
  const isNew = yield* saveRevision(tx, revision, { paymasterId, at });
  yield* tx.insert('policy_history', 'paymaster_id, hash, at', { paymasterId, hash, at });
  log.append('policy', { paymasterId, hash, ...(isNew && { policy }) });
  return true;
};

/** Policy revisions, which are kept forever, and when each was in force. */
export const policyRevisionStore = ({ rows, write, cache }: Access) => ({
  /** Grows whenever the version of the settings grows for any DApp or chain. */
  settingsChanges: cache.changes,
  /**
   * Records a revision as being in force. False, with nothing written, if it is already the last one. @param at epoch
   * ms
   */
  recordPolicy: (paymasterId: string, revision: PolicyRevision, at: number): Promise<boolean> =>
    write((tx) => tx.enforce(revision, { paymasterId, at })),
  /** Newest first. */
  policyHistory: (paymasterId: string, limit: number) => rows.all<PolicyTime>(HISTORY, [paymasterId, limit]),
  /** Up to two revisions of a DApp whose hash begins with `start`. */
  async findRevisions(paymasterId: string, start: string): Promise<string[]> {
    const found = await rows.all<{ hash: string }>(
      'SELECT hash FROM policy_revision WHERE hash >= $1 AND hash < $2 AND paymaster_id = $3 LIMIT 2',
      [start, `${start}\u{10ffff}`, paymasterId],
    );
    return found.map(({ hash }) => hash);
  },
  async findPolicy(hash: string): Promise<Policy | undefined> {
    const row = await rows.get<{ policy: string }>('SELECT policy FROM policy_revision WHERE hash = $1', [hash]);
    return row && storedPolicy(hash, row.policy);
  },
});
