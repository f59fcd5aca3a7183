import { Rehearsal, type RehearsalReport } from '../../core/rehearsal/rehearse.ts';
import type { GasScheduleName } from '../../shared/schema/gas-schedule.ts';
import type { Trials } from '../policy-trial/trials.ts';
import { eachPastDecision } from './each-past-decision.ts';

/** Decides the newest decisions of a DApp again under another gas schedule. */
export const rehearse = async (
  trials: Pick<Trials, 'pastDecisions'>,
  {
    paymasterId,
    schedule,
    last,
  }: { readonly paymasterId: string; readonly schedule: GasScheduleName; readonly last: number },
): Promise<RehearsalReport> => {
  const rehearsal = new Rehearsal(schedule);
  await eachPastDecision(trials, { paymasterId, last }, (decision) => rehearsal.add(decision));
  return rehearsal.report();
};
