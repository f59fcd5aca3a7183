import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

const HERE = import.meta.dirname;
const INSTALLED = join(HERE, '..', '..', 'test-artifacts', 'clients');
/** Written last: an install that was cut short has none. */
const MANIFEST = 'installed.json';

/** Packages run nothing of their own, and a slow registry is asked again. */
const OPTIONS = ['--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=5'];

const isInstalled = (source: string, folder: string): boolean => {
  const manifest = join(folder, MANIFEST);
  return existsSync(manifest) && readFileSync(manifest).equals(readFileSync(source));
};

/**
 * Installs the packages of a family if its manifest has changed, and puts its programs next to them.
 * @returns the folder where they run
 */
export const installFamily = async (family: string): Promise<string> => {
  const source = join(HERE, family, 'package.json');
  const folder = join(INSTALLED, family);
  if (!isInstalled(source, folder)) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    copyFileSync(source, join(folder, 'package.json'));
    await promisify(execFile)('npm', ['install', ...OPTIONS], { cwd: folder });
    copyFileSync(source, join(folder, MANIFEST));
  }
  for (const program of globSync(['*.mjs', `${family}/*.mjs`], { cwd: HERE })) {
    copyFileSync(join(HERE, program), join(folder, basename(program)));
  }
  return folder;
};
