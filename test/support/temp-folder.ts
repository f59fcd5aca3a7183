import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Makes folders, a new one for whoever asks; they are gone when the tests of the file are. */
export const useTempFolders = (): (() => string) => {
  const made: string[] = [];
  afterAll(() => {
    for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
  });
  return () => {
    const dir = mkdtempSync(join(tmpdir(), 'gasdesk-test-'));
    made.push(dir);
    return dir;
  };
};
