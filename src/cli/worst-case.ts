import type { ProcedureOutput } from '../api/index.ts';
import {
  assumptions,
  boundSentence,
  headline,
  perAccountWords,
  perPersonWords,
  periodWords,
  stopWords,
  worstAmount,
} from '../core/worst-case/words.ts';
import { humanText } from './human-text.ts';

type WorstCase = ProcedureOutput<'policies.worstCase'>;

const ladderText = ({ bounds, coin }: WorstCase): string[] => {
  const rungs = bounds.flatMap(({ period, ladder }) => ladder.map((rung) => ({ period, rung })));
  const named = Map.groupBy(rungs, ({ rung }) => stopWords(rung));
  const rows = [...named].map(([rule, amounts]) => {
    const columns = bounds.map(({ period }) => {
      const found = amounts.find((one) => one.period === period);
      return [periodWords[period].toLowerCase(), found === undefined ? '-' : worstAmount(found.rung.amountWei, coin)];
    });
    return { rule, ...(Object.fromEntries(columns) as Record<string, string>) };
  });
  return rows.length === 0 ? [] : ['', 'What each rule alone would allow:', humanText(rows)];
};

/**
 * The worst case of a policy as readable text: a sentence for each period, the rules with their amounts, and changes
 * that would reduce it.
 */
export const worstCaseText = (found: WorstCase): string => {
  const { bounds, coin, perAccount, perPerson, people, suggestions } = found;
  return [
    headline(bounds, coin),
    '',
    ...bounds.map((bound) => boundSentence(bound, coin)),
    ...assumptions(found),
    ...ladderText(found),
    ...perAccount.map(perAccountWords),
    ...perPerson.map((stop) => perPersonWords(stop, people)),
    ...(suggestions.length === 0 ? [] : ['', 'How to lower it:']),
    ...suggestions.map(({ sentence }) => `- ${sentence}`),
  ].join('\n');
};
