import { weiToDecimal } from '../shared/schema/decimal.ts';
import { type DecisionRecord, decisionRecord } from '../shared/schema/decision.ts';
import { csv } from './csv.ts';
import type { Caller, ProcedureInput } from './index.ts';

const PAGE = 100;

/** Returns a function that adds each policy revision to the first exported decision that names it. */
const withRevisions = (call: Caller) => {
  const told = new Set<string>();
  return async (decision: DecisionRecord): Promise<DecisionRecord> => {
    const { policy: hash } = decision;
    if (hash === undefined || told.has(hash)) return decision;
    told.add(hash);
    const { policy } = await call('decisions.policy', { hash });
    return policy === null ? decision : { ...decision, policyRevision: policy };
  };
};

/** The decisions of an export, oldest first. Includes decisions made while the export runs. */
export async function* exportedDecisions(
  call: Caller,
  filters: ProcedureInput<'decisions.page'>,
): AsyncGenerator<DecisionRecord[]> {
  const withRevision = withRevisions(call);
  let { after = 0 } = filters;
  for (let isLast = false; !isLast;) {
    const { decisions, upTo, more } = await call('decisions.page', { ...filters, after, limit: PAGE });
    const page = [];
    for (const decision of decisions) page.push(await withRevision(decision));
    yield page;
    after = upTo;
    isLast = !more;
  }
}

const FIELDS = Object.keys(decisionRecord.shape) as (keyof DecisionRecord)[];

/** A decision as one line of the export, with its fields in the order of the record. */
const lineOf = (decision: DecisionRecord): string =>
  `${JSON.stringify(Object.fromEntries(FIELDS.map((field) => [field, decision[field]])))}\n`;

const coin = (wei: string | null): string => (wei === null ? '' : weiToDecimal(BigInt(wei)));

/** The columns of the CSV format, by name and in order. Amounts are exact, in the chain's coin. */
const COLUMNS: Readonly<Record<string, (decision: DecisionRecord) => string | number | null>> = {
  seq: ({ seq }) => seq,
  time: ({ at }) => new Date(at).toISOString(),
  dapp: ({ dapp }) => dapp,
  chainId: ({ chainId }) => chainId,
  outcome: ({ outcome }) => outcome,
  code: ({ code }) => code,
  rule: ({ rule }) => rule,
  message: ({ message }) => message,
  mode: ({ mode }) => mode,
  method: ({ method }) => method,
  sender: ({ sender }) => sender,
  nonce: ({ nonce }) => nonce,
  userOpHash: ({ userOpHash }) => userOpHash,
  maxCost: ({ maxCostWei }) => coin(maxCostWei),
  actualCost: ({ actualCostWei }) => coin(actualCostWei),
  settlement: ({ settlement }) => settlement,
  id: ({ id }) => id,
};

export const exportFormats = ['jsonl', 'csv'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** The text of an export, in pieces: complete decisions as JSON Lines, or the columns above as CSV. */
export async function* exportText(
  pages: AsyncIterable<readonly DecisionRecord[]>,
  format: ExportFormat,
): AsyncGenerator<string> {
  if (format === 'csv') yield csv([Object.keys(COLUMNS)]);
  for await (const page of pages) {
    yield format === 'jsonl'
      ? page.map(lineOf).join('')
      : csv(page.map((decision) => Object.values(COLUMNS).map((column) => column(decision))));
  }
}
