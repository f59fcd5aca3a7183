import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ExportFormat, exportText, exportedDecisions } from '../api/decision-export.ts';
import type { Caller, ProcedureInput } from '../api/index.ts';

/** True if the reader of a pipe has closed it, as `head` does. */
const isPipeClosed = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EPIPE';

/**
 * Writes decisions, oldest first, including those made while the export runs. Reads only as fast as `out` accepts data,
 * and ends without an error when the reader of `out` has closed it.
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
    if (!isPipeClosed(error)) throw error;
  }
};
