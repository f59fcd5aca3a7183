import type Database from 'better-sqlite3';
import type { PolicyRevision } from '../policy-store.ts';
import { stepsOf } from '../rows.ts';
import { type FirstUse, enforcePolicy, saveRevision } from '../tables/policy-revisions.ts';
import type { LogWriter } from './log.ts';
import { runSteps, statementsOf } from './rows.ts';

/** Revisions of a thousand rules take megabytes. */
const MAX_READ = 16;

/** Policy revisions, inside the transactions of callers. */
export const policyRevisions = (database: Database.Database) => {
  const steps = stepsOf(statementsOf(database));
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
    save: (revision: { readonly hash: string; readonly policy: unknown }, use: FirstUse): boolean =>
      runSteps(saveRevision(steps, revision, use)),
  };
};

export type PoliciesInForce = ReturnType<typeof policiesInForce>;

/** Puts policies in force within the caller's transaction, and appends each to the log. */
export const policiesInForce = (database: Database.Database, log: Pick<LogWriter, 'append'>) => {
  const tx = { ...stepsOf(statementsOf(database)), log };
  /** Hash of the policy in force, by DApp: a copy of what the database has, since every decision needs it. */
  const known = new Map<string, string>();
  return {
    /** Call if a policy that was put in force may have been rolled back or replaced. */
    forget: () => known.clear(),
    /** Puts a revision in force. False if it already is. */
    enforce(revision: PolicyRevision, use: FirstUse): boolean {
      const { paymasterId } = use;
      if (known.get(paymasterId) === revision.hash) return false;
      known.set(paymasterId, revision.hash);
      return runSteps(enforcePolicy(tx, revision, use));
    },
  };
};
