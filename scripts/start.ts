import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildContracts } from './build-contracts.ts';
import { buildCli, buildConsole } from './build-stale.ts';
import { nodeFlags } from './node-flags.ts';
import { electronInstaller, findElectron } from './find-electron.ts';

/**
 * `npm start`: builds what is out of date, and opens the console in its window, or else in the browser (behaviour 1.5).
 */

const root = join(import.meta.dirname, '..');
const args = process.argv.slice(2);
/** Maximum time for the download, in ms. */
const DOWNLOAD_MS = 180_000;

const getElectron = (): string | undefined => {
  const found = findElectron();
  if (found !== undefined) return found;
  console.error("Electron's binary is not installed yet: trying to download it…");
  spawnSync(process.execPath, [electronInstaller], { stdio: 'ignore', timeout: DOWNLOAD_MS });
  return findElectron();
};

/** Serves the console in the browser until it is stopped. @returns the exit code */
const serve = async (): Promise<number> => {
  const child = spawn(process.execPath, [...nodeFlags, buildCli(), 'serve', ...args], {
    stdio: ['inherit', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  // Ctrl-C also reaches the child, which then ends by itself. A SIGTERM reaches only this process, and is passed on to
  // the child.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  createInterface(child.stdout).once('line', (line) => {
    console.log(`Open in the browser: ${(JSON.parse(line) as { console: string }).console}`);
  });
  const [code] = (await ended) as [number | null];
  return code ?? 1;
};

await buildContracts();
buildConsole();
const electron = getElectron();
if (electron === undefined) {
  console.error('There is no Electron here and none can be downloaded: the console is served in the browser instead.');
  process.exitCode = await serve();
} else {
  const { status } = spawnSync(electron, [root, ...args], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
