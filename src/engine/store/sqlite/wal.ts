import { fstatSync, readSync } from 'node:fs';

/*
 * SQLite's write-ahead log (sqlite.org/fileformat2.html#the_write_ahead_log): a header, then frames with one page each.
 * Each frame carries the salts of the header and a checksum of everything before it.
 */

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;

type Checksum = readonly [number, number];

interface WalHeader {
  readonly pageSize: number;
  readonly salts: readonly [number, number];
  readonly isBigEndian: boolean;
  readonly checksum: Checksum;
}

/** The frames that a reader has read, in the log with these salts. */
export interface WalPosition {
  readonly salts: readonly [number, number];
  readonly frames: number;
  /** Checksum of everything up to here, which the next frame continues. */
  readonly checksum: Checksum;
}

/** Pages that transactions have changed, each in its last version. */
export interface WalChanges {
  readonly pages: ReadonlyMap<number, Buffer>;
  readonly pageSize: number;
  /** Pages of the database after the last of these transactions. */
  readonly pageCount: number;
}

/** The log is not the continuation of what was read before. */
export class WalBroken extends Error {}

/** Adds `bytes` to a checksum, as SQLite does. */
const addTo = ([first, second]: Checksum, bytes: Buffer, isBigEndian: boolean): Checksum => {
  let [a, b] = [first, second];
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < bytes.length; at += 8) {
    a = (a + words.getUint32(at, !isBigEndian) + b) >>> 0;
    b = (b + words.getUint32(at + 4, !isBigEndian) + a) >>> 0;
  }
  return [a, b];
};

const readAt = (descriptor: number, at: number, length: number): Buffer => {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, length, at));
};

/** Undefined if the file is empty. @throws WalBroken if it is no write-ahead log */
export const readWalHeader = (descriptor: number): WalHeader | undefined => {
  if (fstatSync(descriptor).size === 0) return undefined;
  const bytes = readAt(descriptor, 0, HEADER_BYTES);
  if (bytes.length < HEADER_BYTES) return undefined;
  const magic = bytes.readUInt32BE(0);
  if ((magic & ~1) >>> 0 !== MAGIC) throw new WalBroken('the write-ahead log has no header');
  return {
    isBigEndian: (magic & 1) === 1,
    pageSize: bytes.readUInt32BE(8),
    salts: [bytes.readUInt32BE(16), bytes.readUInt32BE(20)],
    checksum: [bytes.readUInt32BE(24), bytes.readUInt32BE(28)],
  };
};

export const isSameLog = (one: Pick<WalHeader, 'salts'>, other: Pick<WalHeader, 'salts'>): boolean =>
  one.salts[0] === other.salts[0] && one.salts[1] === other.salts[1];

/** True if SQLite has begun a new log exactly once: it then adds 1 to the first salt. */
export const isNextLog = (header: Pick<WalHeader, 'salts'>, before: Pick<WalHeader, 'salts'>): boolean =>
  header.salts[0] === (before.salts[0] + 1) >>> 0;

export const walStart = ({ salts, checksum }: WalHeader): WalPosition => ({ salts, frames: 0, checksum });

const frameAt = (index: number, { pageSize }: WalHeader): number =>
  HEADER_BYTES + index * (FRAME_HEADER_BYTES + pageSize);

/** The position after the first `frames` frames. */
export const walPosition = (descriptor: number, header: WalHeader, frames: number): WalPosition => {
  if (frames === 0) return walStart(header);
  const bytes = readAt(descriptor, frameAt(frames - 1, header), FRAME_HEADER_BYTES);
  return { salts: header.salts, frames, checksum: [bytes.readUInt32BE(16), bytes.readUInt32BE(20)] };
};

const FRAMES_PER_READ = 256;

/** Frames after this number end a read at the next commit, so that memory use stays bounded. */
const MAX_FRAMES = 16_384;

interface Read extends WalChanges {
  readonly position: WalPosition;
}

/**
 * Reads the frames after a position, up to a commit.
 *
 * @param committed number of frames in the log that are committed
 * @throws WalBroken if a frame does not continue what was read before
 */
export const readFrames = (descriptor: number, header: WalHeader, from: WalPosition, committed: number): Read => {
  const { pageSize, isBigEndian } = header;
  const frameBytes = FRAME_HEADER_BYTES + pageSize;
  const pages = new Map<number, Buffer>();
  let { frames, checksum } = from;
  let pageCount = 0;
  while (frames < committed && !(frames - from.frames >= MAX_FRAMES && pageCount > 0)) {
    const count = Math.min(FRAMES_PER_READ, committed - frames);
    const bytes = readAt(descriptor, frameAt(frames, header), count * frameBytes);
    if (bytes.length < count * frameBytes) throw new WalBroken('the write-ahead log is shorter than it was');
    for (let at = 0; at < bytes.length; at += frameBytes) {
      const head = bytes.subarray(at, at + FRAME_HEADER_BYTES);
      const page = bytes.subarray(at + FRAME_HEADER_BYTES, at + frameBytes);
      checksum = addTo(addTo(checksum, head.subarray(0, 8), isBigEndian), page, isBigEndian);
      const isNext =
        isSameLog({ salts: [head.readUInt32BE(8), head.readUInt32BE(12)] }, header) &&
        head.readUInt32BE(16) === checksum[0] &&
        head.readUInt32BE(20) === checksum[1];
      if (!isNext) throw new WalBroken(`frame ${frames + 1} of the write-ahead log does not follow from the last one`);
      pages.set(head.readUInt32BE(0), page);
      pageCount = head.readUInt32BE(4);
      frames += 1;
    }
  }
  if (pageCount === 0) throw new WalBroken('the write-ahead log does not end with a commit');
  return { pages, pageSize, pageCount, position: { salts: from.salts, frames, checksum } };
};
