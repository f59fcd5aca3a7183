import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * `npm run release:check`: packs the last commit twice, in clean clones, and fails unless both packages are the same,
 * byte for byte. `--out FOLDER` keeps the package and its bill of materials.
 */

const root = join(import.meta.dirname, '..');
const { values } = parseArgs({ options: { out: { type: 'string' } } });

const run = (cwd: string, command: string, args: readonly string[]): string => {
  const { status, stdout } = spawnSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`);
  return stdout;
};

interface Packed {
  readonly file: string;
  readonly sha256: string;
}

const pack = (folder: string): Packed => {
  run(root, 'git', ['clone', '--quiet', root, folder]);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  run(folder, 'npm', ['pack', '--silent']);
  const [{ filename }] = JSON.parse(run(folder, 'npm', ['pack', '--ignore-scripts', '--json', '--silent'])) as [
    { filename: string },
  ];
  const file = join(folder, filename);
  return { file, sha256: createHash('sha256').update(readFileSync(file)).digest('hex') };
};

const work = mkdtempSync(join(tmpdir(), 'gasdesk-release-'));
try {
  const [one, other] = [pack(join(work, 'one')), pack(join(work, 'other'))];
  console.log(`${one.sha256}  first build\n${other.sha256}  second build`);
  if (one.sha256 !== other.sha256) throw new Error('The two builds differ');
  if (values.out !== undefined) {
    mkdirSync(values.out, { recursive: true });
    copyFileSync(one.file, join(values.out, one.file.slice(one.file.lastIndexOf('/') + 1)));
    copyFileSync(join(work, 'one', 'resources', 'sbom.cdx.json'), join(values.out, 'sbom.cdx.json'));
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
