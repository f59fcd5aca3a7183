import { statfs } from 'node:fs/promises';

const MIB = 2n ** 20n;
const GIB = 2n ** 30n;

/**
 * Below this much free space on the data folder's disk, decisions may soon not be stored, so nothing would be signed.
 */
export const LEAST_FREE_BYTES = 100n * MIB;

/** Returns how many bytes this user can still write to a folder. */
export type FreeBytes = (dir: string) => Promise<bigint>;

export const freeOnDisk: FreeBytes = async (dir) => {
  const { bavail, bsize } = await statfs(dir, { bigint: true });
  return bavail * bsize;
};

/** A size in MiB or GiB, rounded down. */
export const bytesText = (bytes: bigint): string => (bytes < GIB ? `${bytes / MIB} MiB` : `${bytes / GIB} GiB`);
