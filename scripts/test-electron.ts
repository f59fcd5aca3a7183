import { spawnSync } from 'node:child_process';
import { join, relative } from 'node:path';
import { electronInstaller, findElectron } from './find-electron.ts';

/** `npm run test:electron`: runs the tests of the window in a real Electron. Fails if Electron is missing. */

/** Tests that do not depend on features of the Electron test double. */
const SPECIFICATIONS = ['test/shell/window.test.ts', 'test/shell/journey.test.ts'];

const root = join(import.meta.dirname, '..');
const electron = findElectron();
if (electron === undefined) {
  const installer = relative(root, electronInstaller);
  console.error(`There is no Electron binary here, so nothing was tested: "node ${installer}" downloads one.`);
  process.exitCode = 1;
} else {
  const { status } = spawnSync('vitest', ['run', ...SPECIFICATIONS, ...process.argv.slice(2)], {
    cwd: root,
    shell: true,
    stdio: 'inherit',
    env: { ...process.env, ELECTRON_UNDER_TEST: electron },
  });
  process.exitCode = status ?? 1;
}
