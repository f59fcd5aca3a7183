import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildContracts } from '../../scripts/build-contracts.ts';
import { beginReplayCounts, replayCountWords } from './replay-counts.ts';

/** Linux' file system in memory, and the space that the tests may need. */
const IN_MEMORY = '/dev/shm';
const ENOUGH_BYTES = 4e9;

const hasRoom = (folder: string): boolean => {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > ENOUGH_BYTES;
};

/**
 * One folder for everything that tests write, in memory if there is room: tests sync thousands of files, and the disk
 * may be busy.
 *
 * @returns a function that removes the folder after the last test and prints how many decisions were replayed
 */
const makeTemporaryFolder = (): (() => void) => {
  const folder = mkdtempSync(join(hasRoom(IN_MEMORY) ? IN_MEMORY : tmpdir(), 'gasdesk-'));
  // A PostgreSQL server may have to run as another user, who must reach its own folder.
  chmodSync(folder, 0o711);
  // Every process takes its temporary folder from here.
  process.env['TMPDIR'] = folder;
  beginReplayCounts();
  return () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    console.log(replayCountWords());
  };
};

/** Vitest loads and runs this file once for every project with tests, all in one process. */
const shared = globalThis as typeof globalThis & { testRun?: { projects: number; readonly end: () => void } };

/** Runs before the tests of a project. They deploy the contracts built here. */
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
