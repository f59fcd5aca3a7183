import { type StoredDecision, readDecision, toDecision } from '../decision-rows.ts';
import type { PastDecision } from '../past-decisions.ts';
import type { PolicyRevision } from '../policy-store.ts';
import { stepsOf } from '../rows.ts';
import { type FirstUse, enforcePolicy as enforce } from '../tables/policy-revisions.ts';
import { runSteps } from './access.ts';
import type { Rows } from './rows.ts';
import type { Transaction } from './writer.ts';

/** Puts a revision in force within a transaction. */
export const enforcePolicy = (tx: Transaction, revision: PolicyRevision, use: FirstUse): Promise<boolean> =>
  runSteps(enforce({ ...stepsOf(tx), log: tx.log }, revision, use));

/** Revisions of a thousand rules take megabytes. */
const MAX_READ = 16;

/** Reads stored decisions whole, with the policy revisions from which their words follow. */
export const decisionReader = (rows: Rows) => {
  let known = new Map<string, unknown>();
  const load = async (hashes: ReadonlySet<string>): Promise<void> => {
    if (known.size + hashes.size > MAX_READ) known = new Map();
    const found = await rows.all<{ hash: string; policy: string }>(
      'SELECT hash, policy FROM policy_revision WHERE hash = ANY($1::text[])',
      [[...hashes]],
    );
    for (const { hash, policy } of found) known.set(hash, JSON.parse(policy));
  };
  return async (stored: readonly StoredDecision[]): Promise<PastDecision[]> => {
    const read = stored.map(readDecision);
    const named = new Set(read.flatMap(({ record: { policy } }) => (policy === undefined ? [] : [policy])));
    if ([...named].some((hash) => !known.has(hash))) await load(named);
    const revisions = known;
    const revisionOf = (hash: string): unknown => revisions.get(hash);
    return read.map((one) => {
      const record = toDecision(one, revisionOf);
      return { record, revision: revisionOf(record.policy ?? '') };
    });
  };
};
