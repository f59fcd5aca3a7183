import type { DecisionFilters } from '../../api/decisions.ts';
import type { ProcedureOutput } from '../../api/index.ts';
import { type ChainNames, decisionArticle, filterWords } from '../../api/decision-article.ts';
import type { Markup } from '../../shared/markup.ts';
import { reportPage } from './report/report-page.ts';
import { count, emptyTally } from './report/tally.ts';
import { version } from '../base/version.ts';
import { chainViews } from './chains.ts';
import { callsOf } from '../../core/calls/described-calls.ts';
import type { ServiceContext } from './service.ts';

/** Where decisions come from, if not from this engine. */
export interface Origin {
  readonly file: string;
  /** Time of the last decision, epoch ms. */
  readonly to: number;
}

const PAGE = 100;
/** Enough to fill hundreds of pages. */
const MAX_REPORTED = 2_000;
/** Limits the number of characters, because one decision may contain a megabyte of client data. */
const MAX_HTML_LENGTH = 32 * 1024 * 1024;

/**
 * Makes a report on the decisions that match a filter, newest first. Reads them in pages, so that other work need not
 * wait.
 */
export const decisionReport = async (
  { store, clock }: Pick<ServiceContext, 'store' | 'clock'>,
  filter: DecisionFilters,
  origin?: Origin,
): Promise<ProcedureOutput<'decisions.report'>> => {
  const chains = new Map((await chainViews(store)).map((chain) => [chain.chainId, chain]));
  const chain = (chainId: number): ChainNames =>
    chains.get(chainId) ?? { name: `chain ${chainId}`, symbol: 'native coin' };
  const tally = emptyTally();
  const articles: Markup[] = [];
  let length = 0;

  const addArticle = async (decisionId: string): Promise<void> => {
    const decision = await store.findDecision(decisionId);
    if (decision === undefined) return;
    const { contracts } = await store.dappPolicy(decision.paymasterId);
    const article = decisionArticle(decision, callsOf(decision, contracts), chain(decision.chainId));
    length += article.text.length;
    articles.push(article);
    await new Promise((resolve) => setImmediate(resolve));
  };

  let before: number | undefined;
  let decisions = 0;
  for (let isLast = false; !isLast;) {
    const page = await store.listDecisions({ ...filter, before, limit: PAGE });
    for (const decision of page) {
      count(tally, decision);
      if (articles.length < MAX_REPORTED && length < MAX_HTML_LENGTH) await addArticle(decision.id);
    }
    decisions += page.length;
    before = page.at(-1)?.seq;
    isLast = page.length === 0;
    await new Promise((resolve) => setImmediate(resolve));
  }

  const dapp = filter.paymasterId === undefined ? undefined : await store.findDapp(filter.paymasterId);
  const source = `Gasdesk ${version}${origin === undefined ? '' : ` from the export ${origin.file}`}`;
  const subject = filterWords(filter, dapp?.name);
  const html = reportPage({ subject, source, at: clock.now(), tally, articles, chain });
  return { html, decisions, told: articles.length };
};
