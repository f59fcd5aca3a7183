import type { Caller, ProcedureOutput } from '../api/index.ts';
import type { TrialReport } from '../core/trial/try-policy.ts';
import { chainSymbol } from '../shared/chains.ts';
import { grouped } from '../shared/words/amount.ts';
import { assumedSentence, trialSentence, unknownSentence } from '../shared/words/policy-trial.ts';
import { humanText } from './human-text.ts';
import { withProgress } from './terminal.ts';

/** Selects the past decisions on which a draft is tried. Times are in epoch ms. */
export interface TrialFilters {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Only this many decisions, the newest ones. */
  readonly last?: number | undefined;
  /** What to assume where a record lacks it. */
  readonly assume?: ('price' | 'webhook')[] | undefined;
}

type Result = NonNullable<ProcedureOutput<'policies.trial'>['result']>;

/** The report that is printed: without the fields that only the console shows. */
type Report = Omit<TrialReport, 'assumed'> & Pick<Result['report'], 'assumed'>;

/** The result of a trial, with the symbol of its chain's coin. */
export interface Trial {
  readonly report: Report;
  readonly coin: string;
}

const reportOf = ({ flips, ...report }: Result['report']): Report => ({
  ...report,
  flips: flips.map(({ at: _at, sender: _sender, ...flip }) => flip),
});

interface TrialRequest {
  readonly paymasterId: string;
  /** A policy file. */
  readonly text: string;
  readonly filters: TrialFilters;
}

/**
 * Runs a trial in the engine, which continues to decide meanwhile.
 * @param stopped cancels the trial when it resolves
 * @throws EngineError `POLICY_FILE_INVALID`, `TRIAL_TOO_BIG`, or `TRIAL_NOT_FOUND` if the trial was cancelled
 */
export const tryPolicy = async (
  call: Caller,
  { paymasterId, text, filters }: TrialRequest,
  stopped: Promise<unknown>,
): Promise<Trial> =>
  withProgress(async (say) => {
    const { policy } = await call('policies.show', { paymasterId });
    const change = { name: 'policies.apply', input: { paymasterId, text } } as const;
    const { trialId } = await call('policies.try', { change, ...filters });
    // Errors are reported by the call that waits for the trial.
    stopped.then(() => call('policies.cancelTrial', { trialId })).catch(() => undefined);
    for (let seen = -1; ;) {
      const { done, of, result } = await call('policies.trial', { trialId, seen });
      seen = done;
      say(`${grouped(done)} of ${of === null ? '…' : grouped(of)} decisions`);
      if (result !== null) {
        return { report: reportOf(result.report), coin: chainSymbol(policy.dapp.chainId, policy.chain) };
      }
    }
  });

const MAX_ROWS = 20;

const flipsText = ({ flips, nowDenied, nowSponsored, assumed }: Report): string[] => {
  if (flips.length === 0) return [];
  const more = nowDenied + nowSponsored + (assumed?.nowDenied ?? 0) + (assumed?.nowSponsored ?? 0) - MAX_ROWS;
  const rows = flips.slice(0, MAX_ROWS).map((flip) => ({ ...flip }));
  return ['', humanText(rows), ...(more > 0 ? [`… and ${grouped(more)} more. --json lists the first 1,000.`] : [])];
};

const rulesText = ({ byRule }: TrialReport): string[] => {
  const rows = Object.entries(byRule).map(([rule, count]) => ({ rule, ...count }));
  return rows.length === 0 ? [] : ['', humanText(rows)];
};

/** Says which assumption would let more decisions be evaluated. */
const advice = ({ price, webhook }: Report['unknownBy']): string[] => {
  const options = [...(price === undefined ? [] : ['price']), ...(webhook === undefined ? [] : ['webhook'])];
  return options.length === 0 ? [] : [`With --assume ${options.join(' ')}, they are evaluated under an assumption.`];
};

/** The result of a trial as readable text: a sentence, the first changes, and the number of changes by rule. */
export const trialText = ({ report, coin }: Trial): string => {
  const { unknown, unknownBy, assumed } = report;
  return [
    trialSentence(report, coin),
    ...(unknown > 0 ? [unknownSentence(unknown, unknownBy), ...advice(unknownBy)] : []),
    ...(assumed === undefined ? [] : [assumedSentence(assumed, coin)]),
    ...flipsText(report),
    ...rulesText(report),
  ].join('\n');
};
