import { writeFile } from 'node:fs/promises';
import { Option } from 'commander';
import { onFile } from './desk.ts';

/** The options of a command that writes a page, which it can write again. */
export interface PageFlags {
  readonly out?: string;
  readonly force?: boolean;
}

export const pageOut = new Option('--out <file>', 'file to write (default: standard output)');
export const pageForce = new Option('--force', 'replace the file if it exists');

/** Writes a page. @throws EngineError `CONFIG_INVALID` if the file exists and is not to be replaced */
export const writePage = (what: string, file: string, html: string, { force = false }: PageFlags): Promise<void> =>
  onFile(
    `write the ${what} to ${file}`,
    () => writeFile(file, html, { flag: force ? 'w' : 'wx' }),
    'Name another file, or replace it with --force',
  );
