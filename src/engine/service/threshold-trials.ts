import { changedPolicy } from '../policy-trial/changed-policy.ts';
import { unitsToDecimal } from '../../shared/schema/decimal.ts';
import { limitIn } from '../../core/trial/threshold-trial.ts';
import { type SpendingLimit, limitUnits, thresholdError } from '../../core/rules/spending-limit/index.ts';
import { EngineError } from '../../shared/errors.ts';
import type { CurrentPolicy } from '../sponsorship/current-policy.ts';
import type { Handlers, ServiceContext } from './service.ts';

const COIN_DECIMALS = 18;

/** An amount as thresholds of this limit are written. */
const thresholdText = ({ thresholdType }: SpendingLimit, units: bigint): string =>
  unitsToDecimal(units, limitUnits[thresholdType] === 'operations' ? 0 : COIN_DECIMALS);

/** Procedures for trials of the thresholds of a limit. @param inForce the policy of a DApp */
export const thresholdTrialHandlers = (
  { thresholdTrials }: Pick<ServiceContext, 'thresholdTrials'>,
  inForce: (paymasterId: string) => Promise<CurrentPolicy>,
): Handlers<'policies.tryThresholds' | 'policies.atThreshold' | 'policies.endThresholds'> => ({
  'policies.tryThresholds': async ({ change, from, to }) => {
    const { paymasterId } = change.input;
    const { policy: current } = await inForce(paymasterId);
    const ruleId = change.name === 'rules.create' ? 'new' : change.input.ruleId;
    const limit = limitIn(current, { draftAt: changedPolicy(current, change), ruleId, from });
    return { trialId: thresholdTrials.start({ current, change, ruleId, limit, query: { paymasterId, from, to } }) };
  },
  'policies.atThreshold': async ({ trialId, threshold, seen }) => {
    const { limit } = thresholdTrials.task(trialId);
    const error = thresholdError(limit.thresholdType, threshold);
    if (error !== undefined) throw new EngineError('VALIDATION', `threshold ${error}`);
    const counted = await thresholdTrials.count(trialId, threshold, seen);
    if (counted === undefined) return null;
    const { amounts, ...counts } = counted;
    const useful = amounts && { least: thresholdText(limit, amounts.least), most: thresholdText(limit, amounts.most) };
    return { ...counts, useful: useful ?? null };
  },
  'policies.endThresholds': async ({ trialId }) => {
    thresholdTrials.end(trialId);
    return null;
  },
});
