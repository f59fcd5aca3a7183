import { type Policy, policyHash } from '../../../core/policy/policy.ts';
import { type PolicyChange, changeBetween, changedPolicy } from '../../../core/policy/policy-change.ts';
import { EngineError } from '../../../shared/errors.ts';
import type { DecisionRecord } from '../../../shared/schema/decision.ts';
import type { PolicyRevision, PolicyTime } from '../policy-store.ts';
import type { Access, LogEntries } from '../access.ts';
import type { StepRows, Steps } from '../rows.ts';

/** The decision that first uses a revision. */
export type FirstUse = Pick<DecisionRecord, 'paymasterId' | 'at'>;

const HISTORY = 'SELECT hash, at FROM policy_history WHERE paymaster_id = $1 ORDER BY seq DESC LIMIT $2';

export interface StoredRevision {
  readonly hash: string;
  readonly base: string | null;
  readonly policy: string;
}

/** Reads revisions by their hashes, together with those that they change. */
export const REVISIONS = `WITH RECURSIVE revision (hash, base, policy) AS (
    SELECT hash, base, policy FROM policy_revision WHERE hash = ANY($1::text[])
    UNION SELECT earlier.hash, earlier.base, earlier.policy
      FROM policy_revision AS earlier JOIN revision ON earlier.hash = revision.base)
  SELECT hash, base, policy FROM revision`;

/**
 * Makes the policies of the rows that {@link REVISIONS} reads.
 *
 * @returns a function that returns the policy of a hash; undefined if it is not stored. Throws SyntaxError if its text
 * is damaged
 */
export const policiesIn = (rows: readonly StoredRevision[]): ((hash: string) => unknown) => {
  const stored = new Map(rows.map((row) => [row.hash, row]));
  const policies = new Map<string, unknown>();
  const read = (hash: string): unknown => {
    const row = stored.get(hash);
    if (row === undefined || policies.has(hash)) return policies.get(hash);
    // A revision cannot be its own base. Only a damaged one is.
    policies.set(hash, undefined);
    const text = JSON.parse(row.policy) as unknown;
    policies.set(hash, row.base === null ? text : changedPolicy(read(row.base), text as PolicyChange));
    return policies.get(hash);
  };
  return read;
};

export const isPolicyOf = (hash: string, read: (hash: string) => unknown): boolean => {
  try {
    return policyHash(read(hash) as Policy) === hash;
  } catch {
    return false;
  }
};

/** Stores a revision permanently, with the time of its first use, unless it is stored. */
export const saveRevision = (
  tx: StepRows,
  {
    hash,
    policy,
    change,
  }: { readonly hash: string; readonly policy: unknown; readonly change?: PolicyChange | undefined },
  { paymasterId, at }: FirstUse,
): Steps<number> =>
  tx.run(
    `INSERT INTO policy_revision (hash, paymaster_id, at, base, policy) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT DO NOTHING`,
    [hash, paymasterId, at, change?.base ?? null, JSON.stringify(change ?? policy)],
  );

/** A policy of up to this length is always written whole, so that parts of a log can be verified by themselves. */
const SHORT = 8_192;

/** After this many changes, a policy is written whole again. */
const MOST_CHANGES = 64;

/** What a long policy changes in the one before; undefined if it is better written whole. */
const changeFrom = function* (tx: StepRows, base: string, to: PolicyRevision): Steps<PolicyChange | undefined> {
  const { length } = JSON.stringify(to.policy);
  if (length <= SHORT) return undefined;
  const rows = yield* tx.all<StoredRevision>(REVISIONS, [[base]]);
  const change = changeBetween({ hash: base, policy: policiesIn(rows)(base) }, to);
  if (change === undefined || rows.length > MOST_CHANGES) return undefined;
  const texts = rows.map((row) => (row.base === null ? 0 : row.policy.length));
  const changes = texts.reduce((sum, text) => sum + text, JSON.stringify(change).length);
  return changes < length ? change : undefined;
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
  const isKnown = (yield* tx.get('SELECT 1 FROM policy_revision WHERE hash = $1', [hash])) !== undefined;
  const change = isKnown || last === undefined ? undefined : yield* changeFrom(tx, last.hash, revision);
  if (!isKnown) yield* saveRevision(tx, { hash, policy, change }, { paymasterId, at });
  yield* tx.insert('policy_history', 'paymaster_id, hash, at', { paymasterId, hash, at });
  const text = change === undefined ? { policy } : { change };
  log.append('policy', { paymasterId, hash, ...(!isKnown && text) });
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
  /** The policy of a revision. @throws EngineError `STORAGE_FAILED` if the stored text does not match its hash */
  async findPolicy(hash: string): Promise<Policy | undefined> {
    const found = await rows.all<StoredRevision>(REVISIONS, [[hash]]);
    if (found.length === 0) return undefined;
    const read = policiesIn(found);
    if (isPolicyOf(hash, read)) return read(hash) as Policy;
    const message = `The stored policy revision ${hash} is damaged: its text has another hash. Restore a backup`;
    throw new EngineError('STORAGE_FAILED', message, { revision: hash });
  },
});
