import type Database from 'better-sqlite3';
import type { Policy } from '../../../core/policy/policy.ts';
import type { DecisionRecord } from '../../../shared/schema/decision.ts';
import { storedPolicy } from '../policy-rows.ts';
import type { PolicyRevision, PolicyRevisionStore, PolicyTime } from '../policy-store.ts';
import type { GroupCommit } from './group-commit.ts';
import type { LogWriter } from './log.ts';
import type { SettingsVersion } from './memory.ts';

/** Revisions of a thousand rules take megabytes. */
const MAX_READ = 16;

/** Policy revisions, each stored once and forever; runs inside the transactions of its callers. */
export const policyRevisions = (database: Database.Database) => {
  const insert = database.prepare<[string, string, number, string]>(
    'INSERT OR IGNORE INTO policy_revision VALUES (?, ?, ?, ?)',
  );
  const select = database.prepare<[string], string>('SELECT policy FROM policy_revision WHERE hash = ?').pluck();
  const known = new Map<string, unknown>();
  return {
    /** A revision as it was stored; undefined if no revision has this hash. The last ones read stay in memory. */
    read: (hash: string): unknown => {
      const text = known.has(hash) ? undefined : select.get(hash);
      const found: unknown = text === undefined ? known.get(hash) : JSON.parse(text);
      known.delete(hash);
      known.set(hash, found);
      const [oldest = ''] = known.keys();
      if (known.size > MAX_READ) known.delete(oldest);
      return found;
    },
    /** Stores a revision with the time of its first use. False if it exists already. */
    save: (
      { hash, policy }: { readonly hash: string; readonly policy: unknown },
      { paymasterId, at }: Pick<DecisionRecord, 'paymasterId' | 'at'>,
    ): boolean => insert.run(hash, paymasterId, at, JSON.stringify(policy)).changes > 0,
    /** The policy with this hash. @throws EngineError `STORAGE_FAILED` if the text does not match its hash */
    find(hash: string): Policy | undefined {
      const json = select.get(hash);
      return json === undefined ? undefined : storedPolicy(hash, json);
    },
  };
};

export type PoliciesInForce = ReturnType<typeof policiesInForce>;

/**
 * Which policy is in force according to the log: each change of it is an entry, before the first decision under it.
 * Runs inside of shared transactions.
 */
export const policiesInForce = (database: Database.Database, log: Pick<LogWriter, 'append'>) => {
  const revisions = policyRevisions(database);
  const newest = database
    .prepare<[string], string>('SELECT hash FROM policy_history WHERE paymaster_id = ? ORDER BY seq DESC LIMIT 1')
    .pluck();
  const insert = database.prepare<[string, string, number]>(
    'INSERT INTO policy_history (paymaster_id, hash, at) VALUES (?, ?, ?)',
  );
  /** By DApp, as the database has it. */
  const known = new Map<string, string>();
  return {
    /** What was put in force since the last commit was undone. */
    forget: () => known.clear(),
    /** Puts a revision in force. False if it already is. */
    enforce(revision: PolicyRevision, { paymasterId, at }: Pick<DecisionRecord, 'paymasterId' | 'at'>): boolean {
      const { hash, policy } = revision;
      if ((known.get(paymasterId) ?? newest.get(paymasterId)) === hash) {
        known.set(paymasterId, hash);
        return false;
      }
      known.set(paymasterId, hash);
      const isNew = revisions.save(revision, { paymasterId, at });
      insert.run(paymasterId, hash, at);
      log.append('policy', { paymasterId, hash, ...(isNew && { policy }) });
      return true;
    },
  };
};

export const policyRevisionStore = (
  database: Database.Database,
  { changes }: Pick<SettingsVersion, 'changes'>,
  { inForce, commit }: { readonly inForce: PoliciesInForce; readonly commit: GroupCommit },
): PolicyRevisionStore => {
  const revisions = policyRevisions(database);
  const history = database.prepare<[string, number], PolicyTime>(
    'SELECT hash, at FROM policy_history WHERE paymaster_id = ? ORDER BY seq DESC LIMIT ?',
  );
  const beginning = database
    .prepare<[string, string, string], string>(
      'SELECT hash FROM policy_revision WHERE hash >= ? AND hash < ? AND paymaster_id = ? LIMIT 2',
    )
    .pluck();
  return {
    async settingsChanges() {
      return changes();
    },
    recordPolicy: (paymasterId, revision, at) => commit.run(() => inForce.enforce(revision, { paymasterId, at })),
    async policyHistory(paymasterId, limit) {
      return history.all(paymasterId, limit);
    },
    async findRevisions(paymasterId, start) {
      return beginning.all(start, `${start}\u{10ffff}`, paymasterId);
    },
    async findPolicy(hash) {
      return revisions.find(hash);
    },
  };
};
