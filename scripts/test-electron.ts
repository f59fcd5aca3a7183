import { spawnSync } from 'node:child_process';
import { join, relative } from 'node:path';
import { electronInstaller, findElectron } from './find-electron.ts';

/** What `npm run test:electron` does: the tests of the window on a real Electron. Without one they have not passed. */

const root = join(import.meta.dirname, '..');
const electron = findElectron();
if (electron === undefined) {
  const installer = relative(root, electronInstaller);
  console.error(`There is no Electron binary here, so nothing was tested: "node ${installer}" downloads one.`);
  process.exitCode = 1;
} else {
  const { status } = spawnSync('vitest', ['run', 'test/shell', ...process.argv.slice(2)], {
    cwd: root,
    shell: true,
    stdio: 'inherit',
    env: { ...process.env, GASDESK_TEST_ELECTRON: electron },
  });
  process.exitCode = status ?? 1;
}
