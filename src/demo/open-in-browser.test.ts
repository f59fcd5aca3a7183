import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTempFolders } from '../../test/support/temp-folder.ts';
import { openInBrowser } from './open-in-browser.ts';

const newFolder = useTempFolders();
const URL = 'http://127.0.0.1:1234/';

test.skipIf(process.platform !== 'linux')('the address goes to what opens addresses on this system', async () => {
  const dir = newFolder();
  const opened = join(dir, 'opened');
  writeFileSync(join(dir, 'xdg-open'), `#!/bin/sh\necho "$@" > '${opened}.new'; mv '${opened}.new' '${opened}'\n`);
  chmodSync(join(dir, 'xdg-open'), 0o755);
  openInBrowser(URL, { ...process.env, PATH: `${dir}:${process.env['PATH'] ?? ''}` });
  await expect.poll(() => existsSync(opened)).toBe(true);
  expect(readFileSync(opened, 'utf8')).toBe(`${URL}\n`);
});

test('nothing happens without a browser', () => {
  expect(() => openInBrowser(URL, { PATH: '/nowhere' })).not.toThrow();
});
