import type Database from 'better-sqlite3';
import type { PolicyRevision } from '../policy-store.ts';
import { stepsOf } from '../rows.ts';
import { type FirstUse, enforcePolicy, saveRevision } from '../tables/policy-revisions.ts';
import type { LogWriter } from './log.ts';
import { runSteps, statementsOf } from './rows.ts';

/** Policy revisions, inside the transactions of callers. */
export const policyRevisions = (database: Database.Database) => {
  const steps = stepsOf(statementsOf(database));
  return {
    save: (revision: { readonly hash: string; readonly policy: unknown }, use: FirstUse): boolean =>
      runSteps(saveRevision(steps, revision, use)),
  };
};

export const policiesInForce = (database: Database.Database, log: Pick<LogWriter, 'append'>) => {
  const tx = { ...stepsOf(statementsOf(database)), log };
  const newest = database
    .prepare<[string], string>('SELECT hash FROM policy_history WHERE paymaster_id = ? ORDER BY seq DESC LIMIT 1')
    .pluck();
  return {
    /** Every decision calls this, and nearly always the revision is in force already. */
    enforce: (revision: PolicyRevision, use: FirstUse): boolean =>
      newest.get(use.paymasterId) !== revision.hash && runSteps(enforcePolicy(tx, revision, use)),
  };
};
