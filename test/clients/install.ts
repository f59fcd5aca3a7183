import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { PATIENCE_MS } from '../support/patience.ts';

const HERE = import.meta.dirname;
const INSTALLED = join(HERE, '..', '..', 'test-artifacts', 'clients');
/** What is installed. */
const MANIFEST = 'installed.json';

/** Packages run nothing of their own, and a slow registry is asked again. */
const OPTIONS = ['--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=5'];

/** How long an install may take: some SDKs bring half a gigabyte. */
export const INSTALL_MS = 10 * PATIENCE_MS;

/** Installs what a manifest asks for, unless that is there. Test files at the same time may want it. @returns the folder */
const install = async (family: string): Promise<string> => {
  const source = join(HERE, family, 'package.json');
  const folder = join(INSTALLED, family);
  const marker = join(folder, MANIFEST);
  const isThere = (): boolean => existsSync(marker) && readFileSync(marker).equals(readFileSync(source));
  if (isThere()) return folder;
  rmSync(folder, { recursive: true, force: true });
  const partial = `${folder}.${process.pid}`;
  mkdirSync(partial, { recursive: true });
  copyFileSync(source, join(partial, 'package.json'));
  await promisify(execFile)('npm', ['install', ...OPTIONS], { cwd: partial });
  copyFileSync(source, join(partial, MANIFEST));
  try {
    renameSync(partial, folder);
  } catch (error) {
    if (!isThere()) throw error;
    rmSync(partial, { recursive: true });
  }
  return folder;
};

/** Copies a file. Who reads it at the same time finds a whole one. */
const copyWhole = (from: string, to: string): void => {
  const partial = `${to}.${process.pid}`;
  copyFileSync(from, partial);
  renameSync(partial, to);
};

/** An earlier version of a family, such as `zerodev-5.4`, runs the programs of the family that it has none of. */
const baseOf = (family: string): string => family.replace(/-[\d.]+$/, '');

/**
 * Installs the packages of a family, and puts its programs next to them.
 * @returns the folder where they run
 */
export const installFamily = async (family: string): Promise<string> => {
  const folder = await install(family);
  for (const pattern of ['*.mjs', `${baseOf(family)}/*.mjs`, `${family}/*.mjs`])
    for (const program of globSync(pattern, { cwd: HERE })) {
      copyWhole(join(HERE, program), join(folder, basename(program)));
    }
  return folder;
};
