import { statfs } from 'node:fs/promises';

const MIB = 2n ** 20n;
const GIB = 2n ** 30n;

/** Less than this on the disk of the data folder, and decisions may soon not be stored, so not be signed. */
export const LEAST_FREE_BYTES = 100n * MIB;

/** How many bytes this user may still write to where a folder is. */
export type FreeBytes = (dir: string) => Promise<bigint>;

/** Asks the operating system. */
export const freeOnDisk: FreeBytes = async (dir) => {
  const { bavail, bsize } = await statfs(dir, { bigint: true });
  return bavail * bsize;
};

/** A number of bytes in MiB or GiB, rounded down. */
export const bytesText = (bytes: bigint): string => (bytes < GIB ? `${bytes / MIB} MiB` : `${bytes / GIB} GiB`);
