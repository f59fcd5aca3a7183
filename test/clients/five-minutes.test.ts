import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { INSTALL_MS } from './install.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { blocks } from './read-pages.ts';

/** The page is followed as it stands: its commands, in its order, by a shell, and its program, in a browser. */

const ROOT = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(ROOT, 'docs', 'five-minutes.md'), 'utf8');
const [version = '', newApp = '', dev = '', serve = ''] = blocks(page, 'sh');
const [program = ''] = blocks(page, 'js');

const browser = useConsoleBrowser();
const tempFolder = useTempFolders();
const windows: ChildProcess[] = [];
afterAll(async () => {
  for (const window of windows) await close(window);
});

/** Ctrl-C in a window: all of its processes are interrupted. */
const close = async (window: ChildProcess): Promise<void> => {
  if (window.exitCode !== null || window.signalCode !== null) return;
  const ended = once(window, 'close');
  process.kill(-window.pid!, 'SIGINT');
  await ended;
};

/** A folder with the command `gasdesk`, as the package has it. */
const programs = (): string => {
  const folder = join(tempFolder(), 'bin');
  mkdirSync(folder);
  const file = join(folder, 'gasdesk');
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, 'src/cli/index.ts')}' "$@"\n`);
  chmodSync(file, 0o755);
  return folder;
};

test(
  'a stranger follows the page to a sponsored mint',
  async () => {
    const folder = tempFolder();
    const app = join(folder, 'my-app');
    const env = { ...process.env, PATH: `${programs()}${delimiter}${process.env['PATH'] ?? ''}`, NO_COLOR: '1' };
    const shell = (commands: string, cwd: string) => promisify(execFile)('sh', ['-ec', commands], { cwd, env });

    /** Runs a command in a window of its own, until it prints something. */
    const open = async (
      commands: string,
      sign: RegExp,
    ): Promise<{ window: ChildProcess; text: () => string; found: string }> => {
      const window = spawn('sh', ['-c', commands], { cwd: app, env, detached: true });
      windows.push(window);
      let printed = '';
      for (const stream of [window.stdout, window.stderr])
        stream.on('data', (data: Buffer) => (printed += data.toString()));
      const ended = once(window, 'close').then(() => Promise.reject(new Error(`${commands} has ended: ${printed}`)));
      ended.catch(() => undefined);
      while (!sign.test(printed)) await Promise.race([once(window.stdout, 'data'), once(window.stderr, 'data'), ended]);
      return { window, text: () => printed, found: sign.exec(printed)?.[1] ?? '' };
    };

    expect((await shell(version, folder)).stdout).toMatch(/^\d+\.\d+\.\d+(?:-[\w.]+)?\n$/);
    await shell(newApp, folder);
    const desk = await open(dev, /(Ctrl-C ends everything)/);
    writeFileSync(join(app, 'src', 'main.js'), program);
    const vite = await open(serve, /Local: +(http:\/\/\S+)/);

    const opened = await browser().open(vite.found);
    const mint = opened.getByRole('button', { name: 'Mint' });
    await mint.click();
    await opened.getByText('1 minted, paid for by Gasdesk').waitFor();
    await mint.click();
    await opened.getByText('2 minted, paid for by Gasdesk').waitFor();
    expect(browser().errors).toEqual([]);
    expect(desk.text().match(/sponsored/g)).toHaveLength(2);

    await close(vite.window);
    await close(desk.window);
    const { VITE_RPC_URL = '' } = Object.fromEntries(
      readFileSync(join(app, '.env'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split('=')),
    ) as Record<string, string>;
    await expect(fetch(VITE_RPC_URL, { method: 'POST' })).rejects.toThrow();
  },
  INSTALL_MS,
);
