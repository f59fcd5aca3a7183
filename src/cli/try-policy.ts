import type { Caller } from '../api/index.ts';
import { exportedDecisions } from '../api/decision-export.ts';
import type { TrialReport } from '../core/try-policy.ts';
import { chainSymbol } from '../shared/chains.ts';
import { grouped } from '../shared/words/amount.ts';
import { trialSentence } from '../shared/words/policy-trial.ts';
import { humanText } from './human-text.ts';

/** Which past decisions a draft is tried on. Times in epoch ms. */
export interface TrialFilters {
  readonly from?: number;
  readonly to?: number;
  /** Only so many, the newest. */
  readonly last?: number;
}

/** What came of a trial, and what the coin of its chain is called. */
export interface Trial {
  readonly report: TrialReport;
  readonly coin: string;
}

type Times = Omit<TrialFilters, 'last'> & { readonly paymasterId: string };

const LONGEST_LIST = 1_000;

/** Behind which position the newest of the decisions are. What failed before it was decided is not counted. */
const positionBefore = async (call: Caller, times: Times, last: number): Promise<number> => {
  let left = last;
  let before: number | undefined;
  for (;;) {
    const page = { ...times, ...(before !== undefined && { before }), limit: LONGEST_LIST };
    const rows = await call('decisions.list', page);
    for (const { seq, outcome } of rows) {
      if (outcome !== 'error') left -= 1;
      if (left === 0) return seq - 1;
    }
    before = rows.at(-1)?.seq;
    if (before === undefined || rows.length < LONGEST_LIST) return 0;
  }
};

/**
 * Decides the past decisions of a DApp again under a policy file. The desk hands them out page by page, and goes on deciding
 * meanwhile.
 *
 * @throws EngineError `POLICY_FILE_INVALID`
 */
export const tryPolicy = async (
  call: Caller,
  paymasterId: string,
  text: string,
  { last, ...filters }: TrialFilters,
): Promise<Trial> => {
  // Half of the time a command takes to start.
  const { parsePolicyFile } = await import('../core/policy-file/parse-file.ts');
  const { PolicyTrial } = await import('../core/try-policy.ts');
  const file = parsePolicyFile(text);
  const { policy } = await call('policies.show', { paymasterId });
  const times = { ...filters, paymasterId };
  const trial = new PolicyTrial(file, policy, filters.from);
  const revisions = new Map<string, unknown>();
  const after = last === undefined ? 0 : await positionBefore(call, times, last);
  for await (const page of exportedDecisions(call, { ...times, after })) {
    for (const decision of page) {
      const { policy: hash = '', policyRevision } = decision;
      if (policyRevision !== undefined) revisions.set(hash, policyRevision);
      trial.add(decision, revisions.get(hash));
    }
  }
  return { report: trial.report(), coin: chainSymbol(policy.dapp.chainId, policy.chain) };
};

const MOST_ROWS = 20;

const flipsText = ({ flips, nowDenied, nowSponsored }: TrialReport): string[] => {
  if (flips.length === 0) return [];
  const more = nowDenied + nowSponsored - MOST_ROWS;
  const rows = flips.slice(0, MOST_ROWS).map((flip) => ({ ...flip }));
  return ['', humanText(rows), ...(more > 0 ? [`… and ${grouped(more)} more. --json lists the first 1,000.`] : [])];
};

const rulesText = ({ byRule }: TrialReport): string[] => {
  const rows = Object.entries(byRule).map(([rule, count]) => ({ rule, ...count }));
  return rows.length === 0 ? [] : ['', humanText(rows)];
};

/** What came of a trial, for people: a sentence, the first changes, and how many there are by rule. */
export const trialText = ({ report, coin }: Trial): string => {
  const { unknown } = report;
  return [
    trialSentence(report, coin),
    ...(unknown > 0
      ? [`Unknown: ${grouped(unknown)}. A webhook was not asked then, or the record does not hold what is needed.`]
      : []),
    ...flipsText(report),
    ...rulesText(report),
  ].join('\n');
};
