import type { ProcedureArguments, ProcedureOutput } from '../../api/index.ts';
import { PolicyNarrowing } from '../../core/narrow/narrow-policy.ts';
import { narrowedFile } from '../../core/narrow/narrowed-file.ts';
import { draftPolicy } from '../../core/policy-file/draft-policy.ts';
import { parsePolicyFile } from '../../core/policy-file/parse-file.ts';
import { policyChanges } from '../../core/policy-file/policy-changes.ts';
import { PolicyTrial } from '../../core/trial/try-policy.ts';
import { grouped } from '../../shared/words/amount.ts';
import type { Trials } from '../policy-trial/trials.ts';
import type { CurrentPolicy } from '../sponsorship/current-policy.ts';
import { eachPastDecision } from './each-past-decision.ts';

const counted = (operations: number): string =>
  operations === 1 ? '1 sponsored operation' : `${grouped(operations)} sponsored operations`;

const trialWords = ({ decisions, nowDenied, unknown }: ReturnType<PolicyTrial['report']>): string => {
  const denied = nowDenied === 0 ? 'none of the sponsored operations' : counted(nowDenied);
  const open = unknown === 0 ? '' : ` ${grouped(unknown)} could not be evaluated.`;
  return `Tried on the same ${grouped(decisions)} decisions, it denies ${denied}.${open}`;
};

/** Proposes the narrowest policy that still sponsors what was sponsored, and tries it on the same decisions. */
export const narrow = async (
  trials: Pick<Trials, 'pastDecisions'>,
  { policy, hash }: CurrentPolicy,
  query: ProcedureArguments<'policies.narrow'>,
): Promise<ProcedureOutput<'policies.narrow'>> => {
  const narrowing = new PolicyNarrowing(policy);
  await eachPastDecision(trials, query, (decision) => narrowing.add(decision));
  const narrowed = narrowing.narrowed();
  const file = parsePolicyFile(narrowedFile(narrowed));
  const trial = new PolicyTrial((now) => draftPolicy(file, policy, { now, newId: (name) => `new:${name}` }));
  await eachPastDecision(trials, query, (decision) => void trial.add(decision));
  const report = trial.report();
  const { decisions, same, nowSponsored, nowDenied, unknown, senders } = report;
  return {
    revision: hash,
    text: narrowedFile(narrowed, decisions === 0 ? '' : trialWords(report)),
    changes: policyChanges(policy, draftPolicy(file, policy)),
    sponsored: narrowed.sponsored,
    trial: { decisions, same, nowSponsored, nowDenied, unknown, senders },
  };
};
