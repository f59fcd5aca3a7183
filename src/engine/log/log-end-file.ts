import { closeSync, constants, fdatasync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { EngineError } from '../../shared/errors.ts';
import type { Log } from '../base/log.ts';
import { syncFolder } from '../data-folder/write-durably.ts';
import type { DeskLogEnd } from '../store/log-store.ts';

/**
 * The end of the log when this engine last wrote to it. It is stored in a separate file, because a database that was
 * rolled back does not contain it.
 */
export interface LogEndFile {
  /** Undefined if the file is empty or unreadable. */
  readonly known: () => DeskLogEnd | undefined;
  /** Replaces the content. The new content is in the file when this returns, and on disk after the next flush. */
  readonly write: (end: DeskLogEnd) => void;
  readonly flush: () => Promise<void>;
  readonly close: () => void;
}

const schema = z.strictObject({
  deskId: z.string(),
  size: z.int().min(0),
  hash: z.string().regex(/^([0-9a-f]{64})?$/),
});

/** Fixed length: each write replaces the previous one entirely, and needs no new disk space. */
const BYTES = 256;

const sync = promisify(fdatasync);

const read = (file: string, log: Log): DeskLogEnd | undefined => {
  const text = readFileSync(file, 'utf8');
  if (text === '') return undefined;
  try {
    return schema.parse(JSON.parse(text));
  } catch (err) {
    log.warn('log.endUnreadable', { err });
    return undefined;
  }
};

/** Opens or creates the file. @throws EngineError `DATA_FOLDER_UNUSABLE` */
export const openLogEndFile = (file: string, log: Log): LogEndFile => {
  let descriptor: number;
  let end: DeskLogEnd | undefined;
  try {
    descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
    end = read(file, log);
    if (end === undefined) syncFolder(dirname(file));
  } catch (cause) {
    const message = `Cannot open ${file}: ${(cause as Error).message}`;
    throw new EngineError('DATA_FOLDER_UNUSABLE', message, { file }, { cause });
  }
  let isFlushed = true;
  return {
    known: () => end,
    write(next) {
      end = next;
      isFlushed = false;
      try {
        writeSync(descriptor, `${JSON.stringify(next).padEnd(BYTES - 1)}\n`, 0);
      } catch (err) {
        // The entry itself is stored, so the decision remains valid.
        log.warn('log.endNotWritten', { err });
      }
    },
    async flush() {
      if (isFlushed) return;
      isFlushed = true;
      await sync(descriptor);
    },
    close: () => closeSync(descriptor),
  };
};
