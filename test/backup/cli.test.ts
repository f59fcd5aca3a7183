import { existsSync, mkdirSync, readFileSync, readdirSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { gasdesk, useServe } from '../support/cli.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { playsAll } from '../support/combinations.ts';

const tempFolder = useTempFolders();
const serve = useServe();
const env = { GASDESK_PASSPHRASE: 'correct horse battery staple', GASDESK_LOG_LEVEL: 'error' };

const json = async <T>(...args: string[]): Promise<T> => {
  const { stdout, stderr, code } = await gasdesk([...args, '--json'], env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as T;
};

interface Made {
  path: string;
  bytes: number;
}

describe('gasdesk backup and restore', () => {
  it('move a desk to another folder, also while the service runs, and never onto one that runs', async () => {
    const [dir, out] = [tempFolder(), tempFolder()];
    const signer = await json<{ address: string }>('signer', 'create', '--chain', '31337', '--data', dir);
    const service = await serve(['--data', dir], env);
    const made = await json<Made>('backup', join(out, 'running'), '--data', dir);
    expect(made.path).toBe(join(out, 'running'));
    expect(readFileSync(made.path)).toHaveLength(made.bytes);
    const refused = await gasdesk(['restore', made.path, '--data', dir], env);
    expect(refused.stderr).toMatch(/^gasdesk: Process \d+ uses the data folder/);
    expect(refused.code).toBe(1);
    service.signal('SIGTERM');
    await service.ended;

    const stopped = await json<Made>('backup', '--data', dir);
    expect(readdirSync(join(dir, 'backups'))).toEqual([stopped.path.slice(join(dir, 'backups').length + 1)]);
    for (const { path } of [made, stopped]) {
      const fresh = join(tempFolder(), 'fresh');
      expect(await json('restore', path, '--data', fresh)).toMatchObject({ restored: fresh, before: null });
      const { stdout } = await gasdesk(['log', 'verify', '--data', fresh], env);
      expect(stdout).toContain(
        'Gasdesk signs it within 10 s of the first start, and of the first start after a restore',
      );
      expect(await json('signer', 'list', '--data', fresh)).toEqual([signer]);
      expect(await json<{ checks: { detail: string }[] }>('doctor', '--data', fresh)).toMatchObject({ ok: true });
    }
    const again = await json<{ before: string }>('restore', made.path, '--data', dir);
    expect(existsSync(again.before)).toBe(true);
  });

  it.runIf(playsAll)('replace a backup only on demand, and another file never', async () => {
    const dir = tempFolder();
    const file = join(dir, 'file.gasdesk-backup');
    const desk = join(dir, 'desk');
    mkdirSync(desk);
    const backup = (...args: string[]) => gasdesk(['backup', file, '--data', desk, ...args], env);
    expect((await backup()).code).toBe(0);
    const first = readFileSync(file);
    const exists = `gasdesk: ${file} already exists. Choose another name, or replace the backup with --force\n`;
    expect(await backup()).toMatchObject({ code: 1, stderr: exists });
    expect(readFileSync(file)).toEqual(first);
    expect((await backup('--force')).code).toBe(0);
    expect(readFileSync(file)).not.toEqual(first);
    const refused = /does not look like a backup, so Gasdesk does not replace it\. Remove it first\n$/;
    for (const mine of ['my thesis', 'age-encryption.org/v1\n-> X25519 of somebody else']) {
      writeFileSync(file, mine);
      expect((await backup('--force')).stderr).toMatch(refused);
      expect(readFileSync(file, 'utf8')).toBe(mine);
    }
    // Only its name distinguishes what someone else encrypted with a passphrase.
    const diary = join(dir, 'diary.age');
    writeFileSync(diary, first);
    expect((await gasdesk(['backup', diary, '--data', desk, '--force'], env)).stderr).toMatch(refused);
    expect(readFileSync(diary)).toEqual(first);
    // --force would not help, so the message does not propose it.
    const other = /diary\.age already exists and does not look like a backup, .+\. Choose another name\n$/;
    expect((await gasdesk(['backup', diary, '--data', desk], env)).stderr).toMatch(other);
  });

  it('say what is missing: a passphrase, a folder, a file', async () => {
    const dir = tempFolder();
    const none = await gasdesk(['backup', join(dir, 'file'), '--data', dir]);
    expect(none).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^gasdesk: The passphrase of the backup is missing/) as string,
    });
    const nowhere = await gasdesk(['backup', join(tempFolder(), 'no', 'file'), '--data', dir], env);
    expect(nowhere).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Cannot write the backup .*: ENOENT/) as string,
    });
    const missing = await gasdesk(['restore', join(dir, 'file'), '--data', join(dir, 'fresh')], env);
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringMatching(/is not a readable backup/) as string });
    expect(existsSync(join(dir, 'fresh'))).toBe(false);
  });

  it('do not ask for a passphrase that would not help, where a folder or a file is missing', async () => {
    const dir = tempFolder();
    const gone = join(dir, 'gone');
    const notes = join(dir, 'notes');
    writeFileSync(notes, 'mine');
    const cases: [words: RegExp, ...args: string[]][] = [
      [/No desk is in/, 'backup', '--data', gone],
      [/Cannot write the backup .*: ENOENT/, 'backup', join(gone, 'file'), '--data', dir],
      [/is not a readable backup: ENOENT/, 'restore', gone, '--data', dir],
      [/is not a readable backup: it does not begin/, 'restore', notes, '--data', dir],
    ];
    for (const [words, ...args] of cases) {
      expect(await gasdesk(args)).toMatchObject({ code: 1, stderr: expect.stringMatching(words) as string });
    }
  });

  it('start no empty desk in a folder whose restore was interrupted', async () => {
    const dir = tempFolder();
    mkdirSync(join(dir, 'restore.new'));
    writeFileSync(join(dir, 'engine.lock'), '');
    for (const args of [
      ['account', 'list'],
      ['log', 'verify'],
      ['serve', '--port', '0'],
    ]) {
      const { code, stderr } = await gasdesk([...args, '--data', dir], env);
      expect([code, stderr]).toEqual([1, expect.stringContaining('was interrupted, so no desk is there') as string]);
    }
    expect(existsSync(join(dir, 'gasdesk.db'))).toBe(false);
    const [from, out] = [tempFolder(), tempFolder()];
    const { path } = await json<Made>('backup', join(out, 'file'), '--data', from);
    await json('restore', path, '--data', dir);
    await json('account', 'list', '--data', dir);
  });

  it('touch no file of the desk, and no foreign file next to the backup', async () => {
    const [dir, out] = [tempFolder(), tempFolder()];
    await json('account', 'list', '--data', dir);
    const among = await gasdesk(['backup', join(dir, 'gasdesk.json'), '--data', dir], env);
    expect([among.code, among.stderr]).toEqual([2, expect.stringContaining('or outside of the data folder')]);
    expect(existsSync(join(dir, 'gasdesk.json'))).toBe(false);

    const other = join(out, 'notes.new');
    writeFileSync(other, 'mine');
    const beside = await gasdesk(['backup', join(out, 'notes'), '--data', dir], env);
    expect([beside.code, beside.stderr]).toEqual([1, expect.stringContaining('does not look like a backup')]);
    expect(readFileSync(other, 'utf8')).toBe('mine');
  });

  it.runIf(playsAll)('leave no half file under its name when they are killed', async () => {
    const dir = tempFolder();
    const out = tempFolder();
    const file = join(out, 'file');
    await json('account', 'list', '--data', dir);
    const begun = new Promise<void>((resolve) => {
      const watcher = watch(out, () => {
        watcher.close();
        resolve();
      });
    });
    const cli = join(import.meta.dirname, '..', '..', 'src', 'cli', 'index.ts');
    const child = spawn(process.execPath, [cli, 'backup', file, '--data', dir], { env, stdio: 'ignore' });
    const ended = once(child, 'exit');
    await begun;
    child.kill('SIGKILL');
    expect((await ended)[1]).toBe('SIGKILL');
    expect(readdirSync(out)).toEqual(['file.new']);
    await json('backup', file, '--data', dir);
    expect(readdirSync(out)).toEqual(['file']);
    expect(existsSync(join(dir, 'backup.tmp'))).toBe(false);
  });
});
