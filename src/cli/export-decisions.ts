import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ProcedureInput } from '../api/index.ts';
import { type DecisionRecord, decisionRecord } from '../shared/schema/decision.ts';
import type { Caller } from '../engine/service/index.ts';

const PAGE = 100;
const FIELDS = Object.keys(decisionRecord.shape) as (keyof DecisionRecord)[];

/** One line of the export: the fields of behaviour 9.1, in its order. */
const lineOf = (decision: DecisionRecord): string =>
  `${JSON.stringify(Object.fromEntries(FIELDS.map((field) => [field, decision[field]])))}\n`;

/** Puts to the first decision by each policy revision the revision itself. */
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

/** The decisions of an export, oldest first, those that are made meanwhile included. */
export async function* decisionsToExport(
  call: Caller,
  filters: ProcedureInput<'decisions.page'>,
): AsyncGenerator<DecisionRecord[]> {
  const withRevision = withRevisions(call);
  let after = 0;
  for (let isLast = false; !isLast;) {
    const { decisions, upTo, more } = await call('decisions.page', { ...filters, after, limit: PAGE });
    const page = [];
    for (const decision of decisions) page.push(await withRevision(decision));
    yield page;
    after = upTo;
    isLast = !more;
  }
}

async function* linesOf(pages: AsyncIterable<DecisionRecord[]>): AsyncGenerator<string> {
  for await (const page of pages) yield page.map(lineOf).join('');
}

/** True if the reader of a pipe went away, as `head` does when it has enough. */
const isReaderGone = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EPIPE';

/**
 * Writes decisions as JSON Lines, oldest first, those that are made meanwhile included. Reads on only as fast as `out`
 * takes them; ends quietly when nobody reads any more.
 */
export const exportDecisions = async (
  call: Caller,
  filters: ProcedureInput<'decisions.page'>,
  out: NodeJS.WritableStream,
): Promise<void> => {
  try {
    const lines = linesOf(decisionsToExport(call, filters));
    await pipeline(Readable.from(lines, { highWaterMark: 1 }), out, { end: false });
  } catch (error) {
    if (!isReaderGone(error)) throw error;
  }
};
