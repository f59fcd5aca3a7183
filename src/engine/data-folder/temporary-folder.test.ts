import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { useTempFolders } from '../../../test/support/temp-folder.ts';
import { createLog } from '../base/log.ts';
import { makeTemporaryFolder, removeAbandonedFolders } from './temporary-folder.ts';

const newFolder = useTempFolders();
let temporary: string;
beforeEach(() => {
  vi.unstubAllEnvs();
  temporary = newFolder();
  vi.stubEnv('TMPDIR', temporary);
});
const log = createLog({ level: 'silent' });
const sweep = (): void => removeAbandonedFolders(log);

const SCRIPT = `
  const { makeTemporaryFolder } = await import(${JSON.stringify(new URL('./temporary-folder.ts', import.meta.url).href)});
  console.log(makeTemporaryFolder('review').dir);
  process.stdin.resume();`;

const holder = async (): Promise<{ dir: string; kill: () => Promise<void> }> => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', SCRIPT], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  const dir = said.toString().trim();
  writeFileSync(join(dir, 'gasdesk.db'), 'of a backup');
  return { dir, kill };
};

test('what a killed process left in the clear is removed, and what a living one uses is not', async () => {
  const [living, dead] = [await holder(), await holder()];
  const own = makeTemporaryFolder('report');
  sweep();
  expect([living.dir, dead.dir, own.dir].map(existsSync)).toEqual([true, true, true]);
  await dead.kill();
  sweep();
  sweep();
  expect([living.dir, dead.dir, own.dir].map(existsSync)).toEqual([true, false, true]);
  expect(existsSync(join(living.dir, 'gasdesk.db'))).toBe(true);
  await own.remove();
  expect(existsSync(own.dir)).toBe(false);
});

test('nothing else is removed: no link and what it leads to, no file, no folder of another name or without a lock', () => {
  const elsewhere = newFolder();
  for (const dir of [elsewhere, join(temporary, 'gasdesk-data'), join(temporary, 'gasdesk-review-x.y')]) {
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'engine.pid'), '1');
  }
  symlinkSync(elsewhere, join(temporary, 'gasdesk-review-link'));
  writeFileSync(join(temporary, 'gasdesk-review-file'), '');
  mkdirSync(join(temporary, 'gasdesk-report-new'));
  const before = readdirSync(temporary).sort();
  sweep();
  expect(readdirSync(temporary).sort()).toEqual(before);
  expect(readdirSync(elsewhere)).toEqual(['engine.pid']);
});
