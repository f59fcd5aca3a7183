import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { checkDecisionsIn } from './check-decisions.ts';

/** The test removes the folder with {@link removeTempFolder}. */
export const makeTempFolder = (): string => mkdtempSync(join(tmpdir(), 'gasdesk-test-'));

/**
 * Removes a test's folder, after it has decided every decision in it again.
 *
 * @throws if a decision differs, or a log in the folder does not verify
 */
export const removeTempFolder = (dir: string): void => {
  try {
    checkDecisionsIn(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
};

/** Makes a new folder for each call; they are removed after the tests of the file. */
export const useTempFolders = (): (() => string) => {
  const made: string[] = [];
  afterAll(() => {
    for (const dir of made.splice(0)) removeTempFolder(dir);
  });
  return () => {
    const dir = makeTempFolder();
    made.push(dir);
    return dir;
  };
};
