import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Hash of the scripts in a folder: what `LC_ALL=C sha256sum *.js | sha256sum` prints there. */
export const hashOfScripts = (folder: string): string => {
  const names = readdirSync(folder).filter((name) => name.endsWith('.js'));
  return sha256(
    names
      .sort()
      .map((name) => `${sha256(readFileSync(join(folder, name)))}  ${name}\n`)
      .join(''),
  );
};

/**
 * Hash of the scripts that run, to be compared with that of a release; undefined if the sources run, and not a build.
 */
export const programHash = (): string | undefined =>
  import.meta.filename.endsWith('.ts') ? undefined : hashOfScripts(import.meta.dirname);
