import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ExportFormat, exportText, exportedDecisions } from '../api/decision-export.ts';
import type { Caller, ProcedureInput } from '../api/index.ts';

/** True if the reader of a pipe went away, as `head` does when it has enough. */
const isReaderGone = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EPIPE';

/**
 * Writes decisions, oldest first, those that are made meanwhile included. Reads on only as fast as `out` takes them; ends
 * quietly when nobody reads any more.
 */
export const exportDecisions = async (
  call: Caller,
  filters: ProcedureInput<'decisions.page'>,
  out: NodeJS.WritableStream,
  format: ExportFormat = 'jsonl',
): Promise<void> => {
  try {
    const text = exportText(exportedDecisions(call, filters), format);
    await pipeline(Readable.from(text, { highWaterMark: 1 }), out, { end: false });
  } catch (error) {
    if (!isReaderGone(error)) throw error;
  }
};
