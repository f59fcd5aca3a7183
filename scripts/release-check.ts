import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { hashOfScripts } from '../src/engine/base/program-hash.ts';

/**
 * `npm run release:check`: packs the last commit twice, in clean clones, and fails unless both packages are the same,
 * byte for byte. `--out FOLDER` keeps the package and its bill of materials.
 */

const root = join(import.meta.dirname, '..');
const { values } = parseArgs({ options: { out: { type: 'string' } } });

const run = async (cwd: string, command: string, args: readonly string[]): Promise<void> => {
  const [status] = await once(spawn(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] }), 'close');
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`);
};

interface Packed {
  readonly file: string;
  readonly sha256: string;
  /** As `gasdesk doctor` prints it. */
  readonly program: string;
}

const pack = async (folder: string): Promise<Packed> => {
  await run(root, 'git', ['clone', '--quiet', root, folder]);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const packed = `${folder}-packed`;
  mkdirSync(packed);
  await run(folder, 'npm', ['pack', '--silent', '--pack-destination', packed]);
  const [name = ''] = readdirSync(packed);
  const file = join(packed, name);
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
  return { file, sha256, program: hashOfScripts(join(folder, 'out', 'cli')) };
};

const work = mkdtempSync(join(tmpdir(), 'gasdesk-release-'));
try {
  const [one, other] = await Promise.all([pack(join(work, 'one')), pack(join(work, 'other'))]);
  console.log(`${one.sha256}  first build\n${other.sha256}  second build`);
  console.log(`${one.program}  program of the command line`);
  if (one.sha256 !== other.sha256) throw new Error('The two builds differ');
  if (values.out !== undefined) {
    mkdirSync(values.out, { recursive: true });
    copyFileSync(one.file, join(values.out, basename(one.file)));
    copyFileSync(join(work, 'one', 'resources', 'sbom.cdx.json'), join(values.out, 'sbom.cdx.json'));
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
