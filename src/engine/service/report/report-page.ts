import { ruleName } from '../../../core/decision/rule-words.ts';
import { exactWei } from '../../../shared/words/amount.ts';
import { outcomeWords } from '../../../shared/words/outcomes.ts';
import { dayChart } from './day-chart.ts';
import { type ChainNames, coins, utcTime } from './decision-article.ts';
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

/** The only style that the page's content security policy allows. */
export const REPORT_STYLE = `
:root{color-scheme:light}
body{max-width:900px;margin:0 auto;padding:32px 24px;background:#fff;color:#1b1f26;
  font:14px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','DejaVu Sans',sans-serif;
  font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
h1{margin:0;font-size:24px}h2{margin:28px 0 8px;font-size:17px}h3{margin:0 0 4px;font-size:14px}
p{margin:4px 0}.lead{font-size:16px}.quiet,.label{color:#59616e}
code,pre{font:12.5px ui-monospace,'Noto Sans Mono','DejaVu Sans Mono',monospace}
pre{margin:4px 0;padding:6px;background:#f1f3f6;white-space:pre-wrap}
table{width:100%;border-collapse:collapse}
th,td{padding:4px 8px;border-bottom:1px solid #e2e5ea;text-align:left;vertical-align:top;font-weight:400}
thead th{color:#59616e;font-size:12.5px}.number{text-align:right}
.trace{margin:6px 0;font-size:12.5px}.trace th{width:130px}.trace td:nth-child(2){width:130px}
.trace .deny th,.trace .deny td:nth-child(2){color:#9a5200;font-weight:600}.trace .skip{color:#59616e}
article{margin:12px 0;padding:12px 16px;border:1px solid #e2e5ea;border-left-width:4px;border-radius:6px}
article.sponsored{border-left-color:#17713f}article.denied{border-left-color:#9a5200}
article.error{border-left-color:#b3261e}
.sponsored .outcome{color:#17713f}.denied .outcome{color:#9a5200}.error .outcome{color:#b3261e}
svg{width:100%}rect.sponsored{fill:#17713f}rect.denied{fill:#d68a2e}rect.error{fill:#b3261e}
line{stroke:#858d99}text{fill:#59616e;font-size:11px}text.end{text-anchor:end}
.key span{margin-right:16px}.key i{display:inline-block;width:10px;height:10px;margin-right:5px}
.key .sponsored i{background:#17713f}.key .denied i{background:#d68a2e}.key .error i{background:#b3261e}
@media print{body{max-width:none;padding:0;font-size:11px}article{break-inside:auto;margin:8px 0}
  h2,h3,thead{break-after:avoid}tr{break-inside:avoid}rect,i{print-color-adjust:exact}@page{margin:16mm}}
`;

type Cell = Markup | string | number;

/** A table whose first column says what the numbers in the other columns count. */
const table = (columns: readonly string[], rows: readonly (readonly Cell[])[]): Markup =>
  html`<table>
    <thead>
      <tr>
        ${columns.map((column, index) => (index === 0 ? html`<th>${column}</th>` : html`<th class="number">${column}</th>`))}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ([name = '', ...counts]) =>
          html`<tr>
            <td>${name}</td>
            ${counts.map((count) => html`<td class="number">${count}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;

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

/**
 * A report as one self-contained HTML page without scripts.
 *
 * @param styleHash base64 of the SHA-256 of {@link REPORT_STYLE}, the only style that the page's policy allows
 */
export const reportPage = (report: Report, styleHash: string): string => {
  const { subject, source, at, tally, articles } = report;
  const decisions = OUTCOMES.reduce((sum, outcome) => sum + tally.counts[outcome], 0);
  const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'`;
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
  // Inserted without `html`, because escaping would change the style and its hash. The style is a constant.
  const style = `<style>${REPORT_STYLE}</style>`;
  const head = html`<meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${policy}" />
    <meta name="viewport" content="width=device-width" />
    <title>Decisions of Gasdesk</title>`;
  return `<!doctype html><html lang="en"><head>${head.text}${style}</head><body>${body.text}</body></html>\n`;
};
