import type { DecisionFilters } from './decisions.ts';
import type { ProcedureOutput } from './index.ts';
import type { DecisionRecord } from '../shared/schema/decision.ts';
import { weiToDecimal } from '../shared/schema/decimal.ts';
import { grouped } from '../shared/words/amount.ts';
import { callsWords } from './call-words.ts';
import { type EvidenceItem, codeWords, evidenceItems } from '../shared/words/evidence.ts';
import { ruleName } from '../core/decision/rule-words.ts';
import { outcomeWords, stepWords } from '../shared/words/outcomes.ts';
import { type Markup, html } from '../shared/markup.ts';

export interface ChainNames {
  readonly name: string;
  readonly symbol: string;
}

type Step = DecisionRecord['trace'][number];
type WebhookCall = NonNullable<Step['call']>;

/** The maximum number of characters that are shown of a webhook's response. */
const SHOWN_CHARACTERS = 2_000;

/** `2026-11-21 14:30:05 UTC`, independent of locale and time zone. @param at epoch ms */
export const utcTime = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** An exact amount in coins. */
export const coins = (wei: string | bigint, { symbol }: ChainNames): string =>
  `${weiToDecimal(BigInt(wei)).replace(/^\d+/, grouped)} ${symbol}`;

const verdicts = { sponsored: 'Sponsored', denied: 'Denied', error: 'Failed' };

const costWords = ({ outcome, maxCostWei, actualCostWei }: DecisionRecord, chain: ChainNames): string => {
  if (outcome !== 'sponsored' || maxCostWei === null) return '';
  if (actualCostWei === null) return `; it may cost up to ${coins(maxCostWei, chain)}`;
  return `; it cost ${coins(actualCostWei, chain)} of at most ${coins(maxCostWei, chain)}`;
};

const valueText = ({ kind, text }: EvidenceItem, chain: ChainNames): string => {
  if (kind === 'wei') return coins(text, chain);
  return kind === 'time' ? utcTime(Number(text)) : text;
};

const cut = (text: string): string =>
  text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}… (${text.length} characters)` : text;

const webhookExchange = ({ method, url, status, response }: WebhookCall, micros: number): Markup => html`
  <p>
    ${method} ${url}: ${status === undefined ? 'no answer' : `answered ${status}`} after ${Math.round(micros / 1000)} ms
  </p>
  ${response === '' ? '' : html`<pre>${cut(response)}</pre>`}
`;

const stepRow = (step: Step, decides: boolean, chain: ChainNames): Markup => html`
  <tr class="${step.outcome}">
    <th scope="row">${ruleName(step.rule)}</th>
    <td>${stepWords[step.outcome]}${decides ? html` <strong>(deciding)</strong>` : ''}</td>
    <td>
      ${codeWords(step.code)}${evidenceItems(step.evidence).map(
        (item) => html`<br /><span class="label">${item.label}:</span> ${valueText(item, chain)}`,
      )}
      ${step.call === undefined ? '' : webhookExchange(step.call, step.micros)}
    </td>
  </tr>
`;

/** Shows one decision: its outcome as a sentence, the reason, and the step of every rule. */
export const decisionArticle = (
  decision: DecisionRecord,
  { calls }: Pick<ProcedureOutput<'decisions.calls'>, 'calls'>,
  chain: ChainNames,
): Markup => {
  const { id, seq, at, dapp, sender, outcome, code, message, hint, trace, userOpHash } = decision;
  const deciding = trace.findIndex((step) => step.outcome === 'deny');
  const isHintNew = hint !== '' && !message.includes(hint);
  return html`<article class="${outcome}">
    <h3>#${seq} <span class="outcome">${outcomeWords[outcome]}</span> ${utcTime(at)}</h3>
    <p>
      <strong>${dapp}</strong> on ${chain.name} requested <strong>${callsWords(calls)}</strong> for user
      <code>${sender}</code>. ${verdicts[outcome]}${costWords(decision, chain)}.
    </p>
    ${
      outcome === 'sponsored'
        ? ''
        : html`<p>${message} ${isHintNew ? html`<strong>What to do:</strong> ${hint}` : ''} <code>${code}</code></p>`
    }
    ${
      trace.length === 0
        ? ''
        : html`<table class="trace">
            <tbody>
              ${trace.map((step, index) => stepRow(step, index === deciding, chain))}
            </tbody>
          </table>`
    }
    <p class="quiet">
      Decision <code>${id}</code>${userOpHash === null ? '' : html`, operation <code>${userOpHash}</code>`}
    </p>
  </article>`;
};

/** Describes a filter. @param dapp name of the DApp in the filter, if known */
export const filterWords = (
  { paymasterId, sender, outcome, rule, from, to }: DecisionFilters,
  dapp: string | undefined,
): string => {
  const words = [
    outcome !== undefined && outcomeWords[outcome].toLowerCase(),
    rule !== undefined && `decided by the rule ${ruleName(rule)}`,
    paymasterId !== undefined && `of the DApp ${dapp === undefined ? paymasterId : `${dapp} (${paymasterId})`}`,
    sender !== undefined && `for the user ${sender}`,
    from !== undefined && `since ${utcTime(from)}`,
    to !== undefined && `before ${utcTime(to)}`,
  ].filter((word) => word !== false);
  return words.length === 0 ? 'All decisions' : `Decisions ${words.join(', ')}`;
};
