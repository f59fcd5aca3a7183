import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { useTempFolders } from '../support/temp-folder.ts';
import { INSTALL_MS } from './install.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..', '..');
const tempFolder = useTempFolders();

test(
  'npx runs the demo of the packed package in an empty folder, and leaves nothing there',
  async () => {
    for (const script of ['build-cli', 'build-notices'])
      await run('node', [join('scripts', `${script}.ts`)], { cwd: ROOT });
    const packed = tempFolder();
    await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', packed], { cwd: ROOT });
    const [file = ''] = readdirSync(packed);
    const folder = tempFolder();
    const command = ['exec', '--yes', '--ignore-scripts', `--package=${join(packed, file)}`, '--'];
    const { stdout } = await run('npm', [...command, 'gasdesk', 'demo', '--once'], { cwd: folder });
    expect(stdout).toContain('All steps succeeded.');
    expect(readdirSync(folder)).toEqual([]);
  },
  INSTALL_MS,
);
