import { open } from 'node:fs/promises';
import { isAgeFile } from '../backup/write-backup.ts';

/**
 * The kinds of files that can be reviewed. A file of any other kind is read as an export, which reports invalid lines.
 */
export type FileKind = 'backup' | 'log' | 'receipt' | 'export';

const LOG = /^\s*\{\s*"format"\s*:\s*"gasdesk-log"/;
const RECEIPT = /^c2sp\.org\/tlog-proof@v1\r?\n/;
const LENGTH = 100;

/** Detects the kind of a file by its first bytes. */
export const fileKind = async (file: string): Promise<FileKind> => {
  if (await isAgeFile(file)) return 'backup';
  const handle = await open(file, 'r');
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(LENGTH), 0, LENGTH);
    const beginning = buffer.toString('latin1', 0, bytesRead);
    if (LOG.test(beginning)) return 'log';
    return RECEIPT.test(beginning) ? 'receipt' : 'export';
  } finally {
    await handle.close();
  }
};
