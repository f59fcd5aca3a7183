import type Database from 'better-sqlite3';
import type { Policy } from '../../../core/policy.ts';
import type { DecisionRecord } from '../../../shared/schema/decision.ts';
import type { PolicyRevision, PolicyRevisionStore, PolicyTime } from '../policy-store.ts';
import type { LogWriter } from './log.ts';
import type { SettingsVersion } from './memory.ts';

/**
 * Policy revisions in SQLite. They are kept for ever, each once; runs inside the transactions of its callers.
 *
 * @param log where new ones are entered; the decisions of another desk have no log here
 */
export const policyRevisions = (database: Database.Database, log?: Pick<LogWriter, 'append'>) => {
  const insert = database.prepare<[string, string, number, string]>(
    'INSERT OR IGNORE INTO policy_revision VALUES (?, ?, ?, ?)',
  );
  const select = database.prepare<[string], string>('SELECT policy FROM policy_revision WHERE hash = ?').pluck();
  /** Revisions that are in the table for sure: what is only about to be committed may yet be rolled back. */
  const known = new Set<string>();
  return {
    known,
    /** Keeps a revision with when it was first seen, and enters a new one in the log. */
    save(
      { hash, policy }: { readonly hash: string; readonly policy: unknown },
      { paymasterId, at }: Pick<DecisionRecord, 'paymasterId' | 'at'>,
    ): void {
      if (known.has(hash)) return;
      const { changes } = insert.run(hash, paymasterId, at, JSON.stringify(policy));
      if (changes > 0) log?.append('policy', { paymasterId, hash, policy });
    },
    find(hash: string): Policy | undefined {
      const json = select.get(hash);
      return json === undefined ? undefined : (JSON.parse(json) as Policy);
    },
  };
};

/** Which policies were in force when, in SQLite. */
export const policyRevisionStore = (
  database: Database.Database,
  { changes }: Pick<SettingsVersion, 'changes'>,
  log: LogWriter,
): PolicyRevisionStore => {
  const revisions = policyRevisions(database, log);
  const insert = database.prepare<[string, string, number]>(
    'INSERT INTO policy_history (paymaster_id, hash, at) VALUES (?, ?, ?)',
  );
  const history = database.prepare<[string, number], PolicyTime>(
    'SELECT hash, at FROM policy_history WHERE paymaster_id = ? ORDER BY seq DESC LIMIT ?',
  );
  const beginning = database
    .prepare<[string, string, string], string>(
      'SELECT hash FROM policy_revision WHERE hash >= ? AND hash < ? AND paymaster_id = ? LIMIT 2',
    )
    .pluck();
  const record = database.transaction((paymasterId: string, revision: PolicyRevision, at: number): boolean => {
    if (history.get(paymasterId, 1)?.hash === revision.hash) return false;
    revisions.save(revision, { paymasterId, at });
    insert.run(paymasterId, revision.hash, at);
    return true;
  });
  return {
    async settingsChanges() {
      return changes();
    },
    async recordPolicy(paymasterId, revision, at) {
      return record(paymasterId, revision, at);
    },
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
