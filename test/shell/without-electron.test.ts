import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { useTempFolders } from '../support/temp-folder.ts';

const root = join(import.meta.dirname, '../..');
const newFolder = useTempFolders();

/** `npm start` on a machine without Electron and without a network. */
const startWithoutElectron = () => {
  const dir = newFolder();
  const child = spawn(process.execPath, ['scripts/start.ts', '--data', dir, '--port', '0'], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      HOME: dir,
      ELECTRON_OVERRIDE_DIST_PATH: join(dir, 'nowhere'),
      ELECTRON_MIRROR: 'http://127.0.0.1:1/',
      electron_config_cache: join(dir, 'cache'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const said: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
  return { child, lines: createInterface(child.stdout), stderr: () => said.join('') };
};

test('without Electron, the operator gets one line that says so, and the console in the browser', async () => {
  const { child, lines, stderr } = startWithoutElectron();
  const [line] = (await once(lines, 'line')) as [string];
  const [, url] = /^Open in the browser: (http:\/\/127\.0\.0\.1:\d+\/console\/)#token=[\w-]{43}$/.exec(line) ?? [];
  expect(stderr()).toContain('There is no Electron here and none can be downloaded');
  const page = await fetch(url ?? '');
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<div id="app">')]);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});
