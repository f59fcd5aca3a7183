import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { EngineError } from '../shared/errors.ts';

/** A file of a package, if the package is installed next to Gasdesk or in the project in which the command runs. */
export const installedFile = (name: string, file: string): string | undefined => {
  for (const from of [import.meta.url, join(process.cwd(), 'package.json')]) {
    const folders = createRequire(from).resolve.paths(name) ?? [];
    const found = folders.map((folder) => join(folder, name, file)).find((path) => existsSync(path));
    if (found !== undefined) return found;
  }
  return undefined;
};

interface Wanted {
  readonly version: string;
  /** File of the package. */
  readonly file: string;
  /** What the operator can do if npm fails, other than install the package. */
  readonly otherwise: string;
}

/**
 * Has npm fetch a package into its own cache. @returns the path of the file. @throws EngineError `CONFIG_INVALID` if npm
 * fails
 */
export const fetchFile = async (name: string, { version, file, otherwise }: Wanted): Promise<string> => {
  const spec = `${name}@${version}`;
  const fix = `Run npm install --save-dev ${spec} in your project, or ${otherwise}`;
  try {
    // npm puts the fetched package's commands first on the PATH of what it runs.
    const args = ['exec', '--yes', `--package=${spec}`, '--', 'node', '-p', 'process.env.PATH'];
    const { stdout } = await promisify(execFile)('npm', args, { shell: process.platform === 'win32' });
    const paths = stdout
      .trim()
      .split(delimiter)
      .map((folder) => join(folder, '..', name, file));
    const found = paths.find((path) => existsSync(path));
    if (found !== undefined) return found;
  } catch (cause) {
    throw new EngineError('CONFIG_INVALID', `npm could not fetch ${spec}. ${fix}.`, {}, { cause });
  }
  throw new EngineError('CONFIG_INVALID', `npm fetched ${spec}, but not its file ${file}. ${fix}.`);
};
