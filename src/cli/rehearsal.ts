import type { ProcedureOutput } from '../api/index.ts';
import { grouped, pricedAmount } from '../shared/words/amount.ts';
import { humanText } from './human-text.ts';

type Report = ProcedureOutput<'policies.rehearse'>;

const CAUSES = {
  data: 'transaction and data',
  authorization: 'EIP-7702 authorisations',
  account: 'new accounts',
} as const;

const counted = (count: number, one: string): string => `${grouped(count)} ${one}${count === 1 ? '' : 's'}`;

const refusedText = ({ refused }: Report): string[] => {
  const { operations, senders, byCode } = refused;
  if (operations === 0) return ['No sponsored operation would be refused.'];
  return [
    `${counted(operations, 'sponsored operation')} of ${counted(senders, 'user')} would be refused:`,
    humanText(Object.entries(byCode).map(([code, count]) => ({ code, operations: count }))),
  ];
};

const costText = ({ moreExpensive, coin }: Report): string[] => {
  const { operations, gas, wei, byCause } = moreExpensive;
  if (operations === 0) return ['No sponsored operation would need more gas, as far as that follows from it.'];
  const causes = (['data', 'authorization', 'account'] as const)
    .filter((cause) => byCause[cause].operations > 0)
    .map((cause) => ({ for: CAUSES[cause], operations: byCause[cause].operations, gas: grouped(byCause[cause].gas) }));
  return [
    `${counted(operations, 'sponsored operation')} would need at least ${grouped(gas)} gas more, together ${pricedAmount(BigInt(wei), coin)}:`,
    humanText(causes),
  ];
};

/** The result of a rehearsal as readable text. */
export const rehearsalText = (report: Report): string => {
  const { schedule, decisions, unknown, nowSponsored, leftOut } = report;
  return [
    `Gas schedule ${schedule}, on ${counted(decisions, 'decision')}:`,
    '',
    ...refusedText(report),
    '',
    ...costText(report),
    ...(nowSponsored > 0 ? ['', `${counted(nowSponsored, 'denied operation')} would be sponsored.`] : []),
    ...(unknown > 0 ? ['', `Could not be evaluated: ${grouped(unknown)}. The records are incomplete.`] : []),
    '',
    'Not included:',
    ...leftOut.map((sentence) => `- ${sentence}`),
  ].join('\n');
};
