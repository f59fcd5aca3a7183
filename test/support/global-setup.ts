import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildContracts } from '../../scripts/build-contracts.ts';
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
 * Everything that tests write is in one folder, in memory where there is room: they sync thousands of files, and others
 * may keep the disk busy.
 *
 * @returns what removes that folder after the last test, and says how many decisions were decided again
 */
const makeTemporaryFolder = (): (() => void) => {
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

/** Vitest loads and runs this file once for every project that has tests, all in one process. */
const shared = globalThis as typeof globalThis & { testRun?: { projects: number; readonly end: () => void } };

/** Runs before the tests of a project. They deploy the contracts that this makes. */
export const setup = async (): Promise<() => void> => {
  await buildContracts();
  const run = (shared.testRun ??= { projects: 0, end: makeTemporaryFolder() });
  run.projects += 1;
  return () => {
    run.projects -= 1;
    if (run.projects > 0) return;
    run.end();
    delete shared.testRun;
  };
};
