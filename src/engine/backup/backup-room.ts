import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EngineError } from '../../shared/errors.ts';
import type { Clock } from '../base/clock.ts';
import { type FreeBytes, LEAST_FREE_BYTES, bytesText } from '../data-folder/free-bytes.ts';

export interface RoomOrder {
  /** The data folder. Gasdesk stores its decisions on the same disk. */
  readonly dir: string;
  readonly file: string;
  /** Size of the database. A backup first copies it into the data folder, and then encrypts that copy into the file. */
  readonly databaseBytes: bigint;
  readonly freeBytes: FreeBytes;
  readonly clock: Pick<Clock, 'setTimer'>;
}

/** Adds space for authentication tags, the archive's own blocks, and decisions made during the backup. */
const withSlack = (bytes: bigint): bigint => bytes + bytes / 50n + 2n ** 20n;

const WATCH_MS = 250;

const noRoom = (order: RoomOrder, what: string, free: bigint, needed: bigint): EngineError => {
  const fix = 'Free space there, or name a file on another disk';
  const data = { file: order.file, freeBytes: String(free), neededBytes: String(needed) };
  return new EngineError('BACKUP_NO_ROOM', `${what}. ${fix}.`, data);
};

/** If the target folder does not exist, the error is reported when the backup is written. */
const areOnOneDisk = async (dir: string, target: string): Promise<boolean> => {
  const found = await stat(target).catch(() => undefined);
  return found === undefined || found.dev === (await stat(dir)).dev;
};

/** Requires enough disk space for the whole backup. @throws EngineError `BACKUP_NO_ROOM`; file-system Error */
export const requireRoom = async (order: RoomOrder): Promise<void> => {
  const { dir, file, freeBytes } = order;
  const copy = withSlack(order.databaseBytes);
  const target = dirname(file);
  const isOneDisk = await areOnOneDisk(dir, target);
  const needed = (isOneDisk ? 2n * copy : copy) + LEAST_FREE_BYTES;
  const free = await freeBytes(dir);
  if (free < needed) {
    const keeps = `including ${bytesText(LEAST_FREE_BYTES)} that Gasdesk keeps for decisions`;
    const what = `The backup needs ${bytesText(needed)} on the disk of ${dir} (${keeps}), but only ${bytesText(free)} is free`;
    throw noRoom(order, what, free, needed);
  }
  if (isOneDisk) return;
  const there = await freeBytes(target);
  if (there >= copy) return;
  const what = `The backup needs ${bytesText(copy)} on the disk of ${target}, but only ${bytesText(there)} is free`;
  throw noRoom(order, what, there, copy);
};

export interface RoomWatch {
  /** Aborts with `BACKUP_NO_ROOM` as soon as the free disk space falls below what Gasdesk needs for its decisions. */
  readonly signal: AbortSignal;
  readonly stop: () => void;
}

export const watchRoom = (order: RoomOrder): RoomWatch => {
  const controller = new AbortController();
  let cancel: () => void = () => undefined;
  const check = async (): Promise<void> => {
    const free = await order.freeBytes(order.dir).catch(() => LEAST_FREE_BYTES);
    if (free < LEAST_FREE_BYTES) {
      const what = `The backup was stopped: only ${bytesText(free)} is left on the disk of ${order.dir}`;
      controller.abort(noRoom(order, what, free, LEAST_FREE_BYTES));
    } else if (!controller.signal.aborted) next();
  };
  const next = (): void => {
    cancel = order.clock.setTimer(WATCH_MS, () => void check());
  };
  next();
  return {
    signal: controller.signal,
    stop() {
      controller.abort();
      cancel();
    },
  };
};
