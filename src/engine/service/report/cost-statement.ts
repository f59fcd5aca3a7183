import type { ChainCosts, CostGroup } from '../../../core/costs/cost-report.ts';
import { type Markup, html } from '../../../shared/markup.ts';
import { costParts } from '../../../shared/schema/cost.ts';
import { exactWei, shownWorth } from '../../../shared/words/amount.ts';
import { costPartWords } from '../../../shared/words/costs.ts';
import { version } from '../../base/version.ts';
import { type ChainNames, coins, utcTime } from '../../../api/decision-article.ts';
import { htmlPage, table } from './html-page.ts';

export interface Statement {
  /** Name of the DApp. */
  readonly dapp: string;
  /** Such as `2026-11`. */
  readonly month: string;
  readonly chain: ChainNames;
  /** By method; undefined if nothing was mined. */
  readonly costs: ChainCosts | undefined;
  /** Number of smart accounts that operations were paid for. */
  readonly users: number;
  /** When the statement is written, epoch ms. */
  readonly at: number;
}

const MOST_METHODS = 50;

/** To the cent. */
const dollarsOf = ({ dollars, priced, operations }: CostGroup): string => {
  if (priced === 0) return 'unknown';
  return priced === operations ? shownWorth(dollars, '1') : `${shownWorth(dollars, '1')} for ${priced} of them`;
};

const amount = (wei: bigint, chain: ChainNames): Markup =>
  html`${coins(wei, chain)}<br /><span class="quiet">${exactWei(wei)}</span>`;

const partRows = (total: CostGroup, chain: ChainNames) =>
  [...costParts, 'unsplitWei' as const]
    .filter((part) => total[part] !== 0n)
    .map((part) => {
      const { name, note } = costPartWords[part];
      return [html`${name}<br /><span class="quiet">${note}</span>`, amount(total[part], chain)];
    });

const methodRows = ({ groups }: ChainCosts, chain: ChainNames) =>
  groups
    .slice(0, MOST_METHODS)
    .map((group) => [
      group.key === '' ? 'unknown' : group.key,
      group.operations,
      group.reverted,
      coins(group.costWei, chain),
      dollarsOf(group),
    ]);

/** The statement of what a DApp's operations cost in a month, as one self-contained HTML page for printing. */
export const costStatement = ({ dapp, month, chain, costs, users, at }: Statement): string => {
  const lead = costs === undefined ? '' : html`${costs.total.operations} operations of ${users} users on ${chain.name}`;
  const methods = costs?.groups.length ?? 0;
  const body = html`
    <h1>${dapp}: cost of gas, ${month}</h1>
    <p class="lead">
      ${
        costs === undefined
          ? 'No operation was mined.'
          : html`${lead}: ${coins(costs.total.costWei, chain)}, ${dollarsOf(costs.total)} at the prices of those days.`
      }
    </p>
    <p class="quiet">
      Written ${utcTime(at)} by Gasdesk ${version}. The month is that of UTC, by the time of signing. Amounts are exact;
      they are what gas tanks or, without a tank, deposits paid.
    </p>
    ${
      costs === undefined
        ? ''
        : html`<h2>For what</h2>
            ${table(['Part', 'Cost'], [...partRows(costs.total, chain), ['Total', amount(costs.total.costWei, chain)]])}
            <h2>By method</h2>
            ${table(['Methods', 'Operations', 'Reverted', 'Cost', 'US dollars'], methodRows(costs, chain))}
            ${methods > MOST_METHODS ? html`<p class="quiet">The ${MOST_METHODS} most expensive of ${methods}.</p>` : ''}`
    }
  `;
  return htmlPage(`${dapp}: cost of gas, ${month}`, body);
};
