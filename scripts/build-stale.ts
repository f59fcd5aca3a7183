import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Rebuilds outputs that are older than their sources. */

const root = join(import.meta.dirname, '..');

interface Part {
  /** Name in messages, such as "Building the console…". */
  readonly name: string;
  readonly sources: readonly string[];
  readonly results: readonly string[];
  /** Scripts with their arguments, in the order in which they run. */
  readonly steps: readonly (readonly string[])[];
}

/** Latest modification time of a file, or of anything in a folder, epoch ms. */
export const newestOf = (path: string): number => {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => newestOf(join(path, name))));
};

const run = (part: string, [script = '', ...args]: readonly string[]): void => {
  const { status } = spawnSync(process.execPath, [join(root, script), ...args], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error(`The ${part} cannot be built`);
};

const buildIfStale = ({ name, sources, results, steps }: Part): void => {
  // Written last, so that its modification time is the time of the build. It is outside of `out`, because all of `out`
  // is packed.
  const stamp = join(root, '.cache', `${name.replaceAll(' ', '-')}-built`);
  const isBuilt = [stamp, ...results.map((file) => join(root, file))].every((file) => existsSync(file));
  if (isBuilt && sources.every((source) => newestOf(join(root, source)) < statSync(stamp).mtimeMs)) return;
  console.error(`Building the ${name}…`);
  for (const step of steps) run(name, step);
  mkdirSync(join(root, '.cache'), { recursive: true });
  writeFileSync(stamp, '');
};

/**
 * Builds the page that verifies a shared decision into `resources`, unless it is newer than all its inputs.
 *
 * @throws Error if the build fails; standard error has the reason
 */
export const buildProofPage = (): void =>
  buildIfStale({
    name: 'page of proofs',
    sources: [
      ...['src/proof', 'src/core', 'src/api', 'src/shared'],
      ...['scripts/build-proof-page.ts', 'package-lock.json'],
    ],
    results: ['resources/proof-page.html', '.cache/bundled/proof-page.json'],
    steps: [['scripts/build-proof-page.ts']],
  });

/**
 * Builds main, preload, renderer and playground into `out`, and the page of proofs, unless they are newer than all their
 * inputs.
 *
 * @throws Error if the build fails; standard error has the reason
 */
export const buildConsole = (): void => {
  buildIfStale({
    name: 'console',
    sources: ['src', 'electron.vite.config.ts', 'scripts/build-playground.ts', 'package-lock.json'],
    results: ['out/renderer/index.html', 'out/playground/index.html', '.cache/bundled/renderer.json'],
    steps: [
      ['node_modules/electron-vite/bin/electron-vite.js', 'build', '--logLevel', 'error'],
      ['scripts/build-playground.ts'],
    ],
  });
  buildProofPage();
};

/**
 * Bundles the command line into `out/cli`, unless it is newer than all its inputs.
 *
 * @returns path of its script
 * @throws Error if the build fails; standard error has the reason
 */
export const buildCli = (): string => {
  const script = 'out/cli/index.js';
  buildIfStale({
    name: 'command line',
    sources: ['src', 'scripts/build-cli.ts', 'package-lock.json'],
    results: [script],
    steps: [['scripts/build-cli.ts', '--keep']],
  });
  return join(root, script);
};
