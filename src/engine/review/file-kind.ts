import { open } from 'node:fs/promises';
import { isAgeFile } from '../backup/write-backup.ts';

/** What a file under review is. What is none of them is read as an export, whose lines are told when they are none. */
export type FileKind = 'backup' | 'log' | 'receipt' | 'export';

const LOG = /^\s*\{\s*"format"\s*:\s*"gasdesk-log"/;
const RECEIPT = /^c2sp\.org\/tlog-proof@v1\r?\n/;
const LENGTH = 100;

/** What a file says it is by how it begins. */
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
