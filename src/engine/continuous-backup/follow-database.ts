import { createHash } from 'node:crypto';
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Entropy } from '../base/clock.ts';
import { portableSettings } from '../config/config.ts';
import { dataFiles, keystoreFiles } from '../data-folder/data-folder.ts';
import type { WalChanges } from '../store/sqlite/wal.ts';
import { type WalFollower, followWal } from '../store/sqlite/wal-follower.ts';
import { MARKER, segmentName, snapshotPartName } from './catalogue.ts';
import { copyingFolder } from './copying-folder.ts';
import { markerText } from './marker.ts';
import { type CopiedFile, type SegmentHeader, keyOfCopy, sealSegment } from './segment.ts';
import type { CopyTarget } from './target.ts';

export interface FollowOptions {
  /** The data folder. */
  readonly dir: string;
  readonly target: CopyTarget;
  /** Name of this copy in the target. */
  readonly copy: string;
  /** From the vault, the same for all copies of a desk. */
  readonly key: Uint8Array;
  readonly desk: string;
  readonly entropy: Pick<Entropy, 'bytes'>;
  /** Epoch ms, by the engine's clock. */
  readonly now: () => Promise<number>;
}

export interface Copied {
  /** The state that the target now contains. */
  readonly seq: number;
  readonly at: number;
  /** Whether the target contains a whole database, from which this state can be restored. */
  readonly isWhole: boolean;
}

/** Sends what is committed to the database of an engine to a target. */
export interface DatabaseFollower {
  /** Resolves when everything that was committed before the call is stored in the target. */
  copy(): Promise<Copied>;
  /**
   * Sends the whole database. `copy` works meanwhile.
   *
   * @returns its size in bytes
   */
  snapshot(): Promise<number>;
  /** Encrypted bytes that were sent since the last snapshot. */
  readonly bytesSince: () => number;
  close(): void;
}

/** The log is checkpointed when it has this size, as by the engine itself. */
const CHECKPOINT_BYTES = 48_000_000;
/** Pages in a part of a snapshot: 8 MB. */
const PAGES_PER_PART = 2_048;

/** The files besides the database. Settings that name this target or an external database are left out. */
const filesOf = (dir: string): CopiedFile[] => {
  const text = (name: string): string => readFileSync(join(dir, name), 'utf8');
  const isThere = (name: string): boolean => existsSync(join(dir, name));
  return [
    ...[dataFiles.vault].filter(isThere).map((name) => ({ name, text: text(name) })),
    ...[dataFiles.config].filter(isThere).map((name) => ({ name, text: portableSettings(text(name)) })),
    ...keystoreFiles(dir).map((name) => ({ name, text: text(name) })),
  ];
};

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

interface SegmentContent {
  readonly database: SegmentHeader['database'];
  readonly pages: readonly Buffer[];
}

/** Later versions of a page replace earlier ones. */
const joined = (changes: readonly WalChanges[]): SegmentContent | undefined => {
  const last = changes.at(-1);
  if (last === undefined) return undefined;
  const pages = new Map(changes.flatMap((one) => [...one.pages]));
  const { pageSize, pageCount } = last;
  return { database: { pageSize, pageCount, pages: [...pages.keys()] }, pages: [...pages.values()] };
};

interface Sealed extends Omit<Copied, 'isWhole'> {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Starts a new copy, which begins with the newest commit. */
export const followDatabase = (options: FollowOptions): DatabaseFollower => {
  const { dir, target, copy, desk, entropy, now } = options;
  const key = keyOfCopy(options.key, copy);
  const working = copyingFolder(dir);
  rmSync(working, { recursive: true, force: true });
  const follower: WalFollower = followWal(join(dir, dataFiles.database));
  let last: Copied = { seq: 0, at: 0, isWhole: false };
  let previous = '';
  let sentFiles = '';
  let sentVault: string | undefined;
  let bytesSince = 0;
  /** A segment that is not stored yet. It is tried again before anything else is read. */
  let unsent: Sealed | undefined;
  /** A snapshot can be restored only together with the next segment. */
  let needsSegment = true;
  let isClosed = false;

  const sendVault = async (files: readonly CopiedFile[]): Promise<void> => {
    const vault = files.find(({ name }) => name === dataFiles.vault)?.text;
    if (vault === undefined || vault === sentVault) return;
    await target.write(MARKER, Buffer.from(markerText({ desk, vault })));
    sentVault = vault;
  };

  const readChanges = (): readonly WalChanges[] => {
    const read = follower.read();
    const more = follower.bytes() >= CHECKPOINT_BYTES ? follower.checkpoint() : undefined;
    return [read, more].filter((changes) => changes !== undefined);
  };

  const sendNext = async (): Promise<void> => {
    if (unsent === undefined) {
      const content = joined(readChanges());
      const files = filesOf(dir);
      const text = JSON.stringify(files);
      const at = Math.max(last.at, await now());
      if (content === undefined && text === sentFiles && !needsSegment) {
        last = { ...last, at };
        return;
      }
      await sendVault(files);
      const seq = last.seq + 1;
      const name = segmentName(copy, seq, at);
      const header = {
        previous,
        at,
        ...(content && { database: content.database }),
        ...(text !== sentFiles && { files }),
      };
      unsent = { name, seq, at, bytes: sealSegment({ key, name, entropy }, header, content?.pages ?? []) };
      sentFiles = text;
      needsSegment = false;
    }
    const { name, bytes, seq, at } = unsent;
    await target.write(name, bytes);
    previous = sha256(bytes);
    last = { ...last, seq, at };
    bytesSince += bytes.length;
    unsent = undefined;
  };
  const sendAll = async (): Promise<Copied> => {
    if (unsent !== undefined) await sendNext();
    do await sendNext();
    while (!follower.hasReadAll());
    return last;
  };

  let sending: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(run: () => Promise<T>): Promise<T> => {
    const result = sending.then(run);
    sending = result.catch(() => undefined);
    return result;
  };

  const sendSnapshot = async (file: string, seq: number, after: string): Promise<number> => {
    const descriptor = openSync(file, 'r');
    try {
      const { size } = fstatSync(descriptor);
      const first = Buffer.alloc(100);
      readSync(descriptor, first, 0, 100, 0);
      const pageSize = first.readUInt16BE(16) === 1 ? 65_536 : first.readUInt16BE(16);
      const pageCount = size / pageSize;
      const files = filesOf(dir);
      let before = after;
      for (let page = 0, part = 0; page < pageCount; page += PAGES_PER_PART, part += 1) {
        if (isClosed) throw new Error('the copy was stopped');
        const count = Math.min(PAGES_PER_PART, pageCount - page);
        const bytes = Buffer.alloc(count * pageSize);
        readSync(descriptor, bytes, 0, bytes.length, page * pageSize);
        const isLast = page + count === pageCount;
        const name = snapshotPartName(copy, seq, part, isLast);
        const pages = Array.from({ length: count }, (_, index) => page + index + 1);
        const header = { previous: before, at: last.at, database: { pageSize, pageCount, pages }, isLast };
        const sealed = sealSegment({ key, name, entropy }, { ...header, ...(part === 0 && { files }) }, [bytes]);
        await target.write(name, sealed);
        before = sha256(sealed);
      }
      return size;
    } finally {
      closeSync(descriptor);
    }
  };

  return {
    copy: () => inTurn(sendAll),
    async snapshot() {
      mkdirSync(working, { recursive: true, mode: 0o700 });
      const file = join(working, dataFiles.database);
      try {
        // Begins between two segments.
        const { seq, after, copied } = await inTurn(async () => {
          await sendAll();
          return { seq: last.seq, after: previous, copied: follower.snapshot(file, () => isClosed) };
        });
        await copied;
        const size = await sendSnapshot(file, seq, after);
        bytesSince = 0;
        await inTurn(async () => {
          needsSegment = last.seq === seq;
          await sendAll();
        });
        last = { ...last, isWhole: true };
        return size;
      } finally {
        rmSync(working, { recursive: true, force: true });
      }
    },
    bytesSince: () => bytesSince,
    close() {
      isClosed = true;
      follower.close();
    },
  };
};
