import { ruleName } from '../../../core/decision/rule-words.ts';
import { exactWei } from '../../../shared/words/amount.ts';
import { outcomeWords } from '../../../shared/words/outcomes.ts';
import { dayChart } from './day-chart.ts';
import { type ChainNames, coins, utcTime } from '../../../api/decision-article.ts';
import { htmlPage, table } from './html-page.ts';
import { type Markup, html } from '../../../shared/markup.ts';
import type { Tally } from './tally.ts';

export interface Report {
  readonly subject: string;
  /** The program and version, e.g. `Gasdesk 0.1.0`. */
  readonly source: string;
  /** When the report was written, epoch ms. */
  readonly at: number;
  readonly tally: Tally;
  /** Decisions shown individually, newest first. */
  readonly articles: readonly Markup[];
  readonly chain: (chainId: number) => ChainNames;
}

const OUTCOMES = ['sponsored', 'denied', 'error'] as const;

const outcomeTable = ({ counts }: Tally): Markup =>
  table(
    ['Outcome', 'Decisions'],
    OUTCOMES.map((outcome) => [outcomeWords[outcome], counts[outcome]]),
  );

const moneyTable = ({ tally, chain }: Report): Markup =>
  table(
    ['Chain', 'Maximum cost', 'Actual cost', 'Outstanding'],
    [...tally.money].map(([chainId, { maxWei, actualWei, openWei }]) => [
      chain(chainId).name,
      ...[maxWei, actualWei, openWei].map(
        (wei) => html`${coins(wei, chain(chainId))}<br /><span class="quiet">${exactWei(wei)}</span>`,
      ),
    ]),
  );

const dayTable = ({ tally, chain }: Report): Markup =>
  table(
    ['Day (UTC)', ...OUTCOMES.map((outcome) => outcomeWords[outcome]), 'Cost (maximum while unknown)'],
    [...tally.days]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([day, counts]) => [
        day,
        ...OUTCOMES.map((outcome) => counts[outcome]),
        [...counts.spentWei].map(([chainId, wei]) => coins(wei, chain(chainId))).join(' + ') || '–',
      ]),
  );

const ruleTable = ({ rules }: Tally): Markup =>
  table(
    ['Deciding rule', 'Denials'],
    [...rules].sort(([, a], [, b]) => b - a).map(([rule, denials]) => [ruleName(rule), denials]),
  );

const key = html`<p class="key">
  ${OUTCOMES.map((outcome) => html`<span class="${outcome}"><i></i>${outcomeWords[outcome]}</span>`)}
</p>`;

const extentSentence = (listed: number, decisions: number): string =>
  listed === decisions
    ? 'Newest first.'
    : `The newest ${listed} of ${decisions} follow; the totals count all. Use a narrower filter to see the others.`;

/** A report as one self-contained HTML page without scripts. */
export const reportPage = (report: Report): string => {
  const { subject, source, at, tally, articles } = report;
  const decisions = OUTCOMES.reduce((sum, outcome) => sum + tally.counts[outcome], 0);
  const body = html`
    <h1>Decisions of Gasdesk</h1>
    <p class="lead">${subject}: ${decisions}.</p>
    <p class="quiet">Written ${utcTime(at)} by ${source}. Times are UTC; amounts are exact.</p>
    <h2>Totals</h2>
    ${outcomeTable(tally)} ${tally.money.size === 0 ? '' : moneyTable(report)}
    ${
      decisions === 0
        ? ''
        : html`<h2>By day</h2>
            ${key}${dayChart(tally.days)}${dayTable(report)}`
    }
    ${
      tally.rules.size === 0
        ? ''
        : html`<h2>By deciding rule</h2>
            ${ruleTable(tally)}`
    }
    ${
      articles.length === 0
        ? ''
        : html`<h2>Decisions</h2>
            <p class="quiet">${extentSentence(articles.length, decisions)}</p>`
    }
    ${articles}
  `;
  return htmlPage('Decisions of Gasdesk', body);
};
