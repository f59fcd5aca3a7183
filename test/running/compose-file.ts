import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** A service of the compose file. */
export interface ComposeService {
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly ports?: readonly string[];
  readonly volumes: readonly string[];
  readonly healthcheck?: unknown;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, null>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

const root = join(import.meta.dirname, '../..');

/** A file of the repository. */
export const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** `compose.yaml`. */
export const compose = parse(read('compose.yaml'), { merge: true }) as ComposeFile;

const { postgres: _database, ...engines } = compose.services;

/** Its engines, by their names. */
export const desks = Object.entries(engines);

/** Makes the secrets in a folder, by the commands of docs/scale.md. */
export const makeSecrets = (folder: string): void => {
  const [, commands = ''] = /```sh\n(umask [^`]+)```/.exec(read('docs/scale.md')) ?? [];
  execFileSync('sh', ['-euc', commands], { cwd: folder });
};
