import type { PolicyRevision } from '../policy-store.ts';
import { stepsOf } from '../rows.ts';
import { type FirstUse, enforcePolicy as enforce } from '../tables/policy-revisions.ts';
import { runSteps } from './rows.ts';
import type { Transaction } from './writer.ts';

/** Puts a revision in force within a transaction. */
export const enforcePolicy = (tx: Transaction, revision: PolicyRevision, use: FirstUse): Promise<boolean> =>
  runSteps(enforce({ ...stepsOf(tx), log: tx.log }, revision, use));
