import { exportedDecisions } from '../../src/api/decision-export.ts';
import type { Caller, ProcedureInput } from '../../src/api/index.ts';
import type { PolicyChange } from '../../src/api/policy-trials.ts';
import { pastDecision } from '../../src/core/decision/past-decision.ts';
import { type TrialReport, PolicyTrial } from '../../src/core/trial/try-policy.ts';
import { changedPolicy } from '../../src/engine/policy-trial/changed-policy.ts';

/** The core's trial of a change on all decisions of a DApp, without a desk's thread. */
export const trialInProcess = async (
  call: Caller,
  change: ProcedureInput<'policies.try'>['change'],
): Promise<TrialReport> => {
  const { paymasterId } = change.input;
  const { policy } = await call('policies.show', { paymasterId });
  const trial = new PolicyTrial(changedPolicy(policy, change as PolicyChange));
  const revisions = new Map<string, unknown>();
  for await (const page of exportedDecisions(call, { paymasterId })) {
    for (const { policyRevision, ...decision } of page) {
      const { policy: hash = '' } = decision;
      if (policyRevision !== undefined) revisions.set(hash, policyRevision);
      trial.add(pastDecision(decision, revisions.get(hash)));
    }
  }
  return trial.report();
};
