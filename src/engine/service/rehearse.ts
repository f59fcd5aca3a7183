import { Rehearsal, type RehearsalReport } from '../../core/rehearsal/rehearse.ts';
import type { GasScheduleName } from '../../shared/schema/gas-schedule.ts';
import type { Trials } from '../policy-trial/trials.ts';

/**
 * Decides the newest decisions of a DApp again under another gas schedule. Pauses often, so that decisions can be made
 * in between.
 */
export const rehearse = async (
  trials: Pick<Trials, 'pastDecisions'>,
  {
    paymasterId,
    schedule,
    last,
  }: { readonly paymasterId: string; readonly schedule: GasScheduleName; readonly last: number },
): Promise<RehearsalReport> => {
  const rehearsal = new Rehearsal(schedule);
  const past = await trials.pastDecisions({ paymasterId, last });
  try {
    for (let batch = await past.next(); batch.length > 0; batch = await past.next()) {
      for (const { record, revision } of batch) rehearsal.add(record, revision);
      await new Promise((resolve) => void setImmediate(resolve));
    }
  } finally {
    await past.close();
  }
  return rehearsal.report();
};
