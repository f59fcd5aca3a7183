import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ProcedureInput } from '../shared/contract/index.ts';
import { type DecisionRecord, decisionRecord } from '../shared/schema/decision.ts';
import type { Caller } from '../engine/service/index.ts';

const PAGE = 100;
const FIELDS = Object.keys(decisionRecord.shape) as (keyof DecisionRecord)[];

/** One line of the export: the fields of SPEC 1, in its order. */
const lineOf = (decision: DecisionRecord): string =>
  `${JSON.stringify(Object.fromEntries(FIELDS.map((field) => [field, decision[field]])))}\n`;

async function* pagesOf(call: Caller, filters: ProcedureInput<'decisions.page'>): AsyncGenerator<string> {
  let after = 0;
  for (let isLast = false; !isLast;) {
    const { decisions, upTo, more } = await call('decisions.page', { ...filters, after, limit: PAGE });
    yield decisions.map(lineOf).join('');
    after = upTo;
    isLast = !more;
  }
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
    await pipeline(Readable.from(pagesOf(call, filters), { highWaterMark: 1 }), out, { end: false });
  } catch (error) {
    if (!isReaderGone(error)) throw error;
  }
};
