import { z } from 'zod';
import { readCheckpoint } from './checkpoint.ts';
import { readEntryProof } from './tlog-proof.ts';

/** The first line of a receipt. A receipt must be read whole; only the end of other files is needed. */
export const RECEIPT_START = 'c2sp.org/tlog-proof@v1\n';

/** The last line of an export, which holds its checkpoint, is never longer than this number of bytes. */
export const LONGEST_END = 64 * 1024;

const exportEnd = z.strictObject({ checkpoint: z.string() });

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};

/** The checkpoint in a checkpoint, a receipt, or the end of an export; undefined if the text has none. */
export const findCheckpoint = (text: string): string | undefined => {
  const proof = readEntryProof(text);
  if (proof !== undefined) return proof.checkpoint;
  const end = exportEnd.safeParse(parsed(text.trimEnd().split('\n').at(-1) ?? ''));
  if (end.success) return end.data.checkpoint;
  return readCheckpoint(text) === undefined ? undefined : text;
};
