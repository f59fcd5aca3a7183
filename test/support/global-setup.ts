import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildConsole } from '../../scripts/build-console.ts';
import { buildContracts } from '../../scripts/build-contracts.ts';
import { findChromium } from './find-chromium.ts';
import { beginReplayCounts, replayCountWords } from './replay-counts.ts';

/** Linux' file system in memory, and what the tests may need of it at most. */
const IN_MEMORY = '/dev/shm';
const ENOUGH_BYTES = 4e9;

const hasRoom = (folder: string): boolean => {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > ENOUGH_BYTES;
};

/**
 * Runs once before the tests. They deploy the contracts, and look at the console, that this makes; what they write is
 * in one folder, in memory where there is room: they sync thousands of files, and others may keep the disk busy.
 * @returns what removes that folder after the last test, and says how many decisions were decided again
 */
export const setup = async (): Promise<() => void> => {
  await buildContracts();
  if (findChromium() !== undefined) buildConsole();
  const folder = mkdtempSync(join(hasRoom(IN_MEMORY) ? IN_MEMORY : tmpdir(), 'gasdesk-'));
  // A server of PostgreSQL may have to run as another user, who gets through to its own folder.
  chmodSync(folder, 0o711);
  // Where every process looks for its temporary folder.
  process.env['TMPDIR'] = folder;
  beginReplayCounts();
  return () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    console.log(replayCountWords());
  };
};
