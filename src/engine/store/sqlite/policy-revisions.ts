import type Database from 'better-sqlite3';
import type { PolicyRevision } from '../policy-store.ts';
import { stepsOf } from '../rows.ts';
import { type FirstUse, enforcePolicy } from '../tables/policy-revisions.ts';
import type { LogWriter } from './log.ts';
import { runSteps, statementsOf } from './rows.ts';

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
