import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/engine/config/config.ts';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { type Engine, createEngine } from '../../src/engine/index.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { openBackup } from '../../src/engine/backup/open-backup.ts';
import { restoreBackup } from '../../src/engine/backup/restore.ts';
import { Secret } from '../../src/engine/base/secret.ts';
import { openVault } from '../../src/engine/signer/vault.ts';
import { vaultInFile } from '../../src/engine/store/vault-in-file.ts';
import { PASSPHRASE, quickEngine } from '../support/quick-engine.ts';
import { canMount, fillUp, mountSmall, unmount } from '../support/small-disk.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();
const OTHER = 'of the backup';
const secret = new Secret(OTHER);

const engineOf = (dir: string, passphrase?: string): Promise<Engine> =>
  createEngine({
    folder: openDataFolder(dir),
    config: loadConfig({ flags: { port: 0 } }),
    log: createLog({ level: 'silent' }),
    scrypt: { N: 1024, r: 8, p: 1 },
    ...(passphrase !== undefined && { passphrase: new Secret(passphrase) }),
  });

const accountsOf = async (dir: string, passphrase?: string): Promise<string[]> => {
  const engine = await engineOf(dir, passphrase);
  try {
    return (await engine.service.call('accounts.list', {})).map(({ name }) => name);
  } finally {
    await engine.stop();
  }
};

/** A desk with an account of that name, and a backup of it. */
const deskWith = async (name: string): Promise<{ dir: string; backup: string }> => {
  const dir = tempFolder();
  const engine = await quickEngine(dir);
  await engine.service.call('accounts.create', { name });
  await engine.service.call('signers.create', { chainId: 31337 });
  const { path } = await engine.service.call('backups.create', { file: tempFolder(), passphrase: OTHER });
  await engine.stop();
  return { dir, backup: path };
};

const restore = (file: string, dir: string) =>
  restoreBackup({ file, passphrase: secret, dir, now: Date.now, logN: 10 });

describe('restoring in the place of a desk', () => {
  test('keeps that desk in a backup, from which it comes back as it was', async () => {
    const [first, second] = [await deskWith('First'), await deskWith('Second')];
    const vaultBefore = readFileSync(join(second.dir, 'vault.json'), 'utf8');
    writeFileSync(join(second.dir, 'gasdesk.json'), '{"port": 0}');
    const { before } = await restore(first.backup, second.dir);
    expect(await accountsOf(second.dir, OTHER)).toEqual(['Operator', 'First']);
    // The backup has no settings: those of the other desk do not stay.
    expect(existsSync(join(second.dir, 'gasdesk.json'))).toBe(false);

    expect(readdirSync(join(second.dir, 'backups'))).toHaveLength(1);
    await restore(before!.path, second.dir);
    expect(readFileSync(join(second.dir, 'vault.json'), 'utf8')).toBe(vaultBefore);
    expect(readFileSync(join(second.dir, 'gasdesk.json'), 'utf8')).toBe('{"port": 0}');
    expect(await accountsOf(second.dir, PASSPHRASE)).toEqual(['Operator', 'Second']);
  });

  test('brings what a killed engine had not yet copied into its database file into that backup', async () => {
    const [first, second] = [await deskWith('First'), await deskWith('Second')];
    const killed = tempFolder();
    const engine = await quickEngine(second.dir);
    await engine.service.call('accounts.create', { name: 'Late' });
    cpSync(second.dir, killed, { recursive: true, filter: (path) => !path.includes('run') });
    await engine.stop();
    expect(existsSync(join(killed, 'gasdesk.db-wal'))).toBe(true);
    const { before } = await restore(first.backup, killed);
    expect(await accountsOf(killed)).toEqual(['Operator', 'First']);
    const fresh = join(tempFolder(), 'fresh');
    await restore(before!.path, fresh);
    expect(await accountsOf(fresh)).toEqual(['Operator', 'Second', 'Late']);
  });
});

/** The state after a crash in the middle of the renames, when those in `done` were made. */
const crashed = async (done: readonly string[]): Promise<string> => {
  const [first, second] = [await deskWith('First'), await deskWith('Second')];
  const whole = join(tempFolder(), 'whole');
  const { manifest } = await restore(first.backup, whole);
  const ready = join(second.dir, 'restore.ready');
  mkdirSync(ready);
  writeFileSync(join(ready, 'manifest.json'), JSON.stringify(manifest));
  for (const name of ['vault.json', 'gasdesk.db']) cpSync(join(whole, name), join(ready, name));
  writeFileSync(join(second.dir, 'gasdesk.json'), '{"port": 0}');
  for (const name of done) {
    rmSync(join(second.dir, name), { force: true });
    if (existsSync(join(ready, name))) renameSync(join(ready, name), join(second.dir, name));
  }
  return second.dir;
};

test.each([[[]], [['gasdesk.json']], [['gasdesk.json', 'vault.json']], [['gasdesk.json', 'vault.json', 'gasdesk.db']]])(
  'a restore that a crash interrupted is complete after the next start, whatever was done: %j',
  async (done) => {
    const dir = await crashed(done);
    expect(await accountsOf(dir, OTHER)).toEqual(['Operator', 'First']);
    expect(readdirSync(dir).sort()).toEqual(['engine.lock', 'gasdesk.db', 'log-end', 'run', 'vault.json']);
  },
);

describe('the local keys in a backup', () => {
  const deskWithKey = async (label: string) => {
    const dir = tempFolder();
    const engine = await quickEngine(dir);
    const key = await engine.service.call('keystores.create', { label, password: label });
    const { path } = await engine.service.call('backups.create', { file: tempFolder(), passphrase: OTHER });
    await engine.stop();
    return { dir, key, backup: path, file: join(dir, 'keystores', `${key.address.toLowerCase()}.json`) };
  };
  const keysOf = async (dir: string) => {
    const engine = await engineOf(dir);
    try {
      const keys = await engine.service.call('keystores.list', {});
      // Each is whole: its password opens it.
      for (const { address, label } of keys) {
        await engine.service.call('keystores.remove', { address, password: label });
      }
      return keys;
    } finally {
      await engine.stop();
    }
  };

  test('come back as they were, for their owner only', async () => {
    const { key, backup, file } = await deskWithKey('Funds');
    const fresh = join(tempFolder(), 'fresh');
    await restore(backup, fresh);
    const restored = join(fresh, 'keystores', file.slice(-'0x.json'.length - 40));
    expect(readFileSync(restored, 'utf8')).toBe(readFileSync(file, 'utf8'));
    const modes = [join(fresh, 'keystores'), restored].map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600]);
    expect(await keysOf(fresh)).toEqual([key]);
  });

  test('take the place of others, which are in the backup that is made first; what is not a key stays', async () => {
    const [first, second] = [await deskWithKey('First'), await deskWithKey('Second')];
    writeFileSync(join(second.dir, 'keystores', 'notes.txt'), 'mine');
    const { before } = await restore(first.backup, second.dir);
    const there = readdirSync(join(second.dir, 'keystores'));
    expect(there.sort()).toEqual([`${first.key.address.toLowerCase()}.json`, 'notes.txt']);
    expect(await keysOf(second.dir)).toEqual([first.key]);
    const fresh = join(tempFolder(), 'fresh');
    await restore(before!.path, fresh);
    expect(await keysOf(fresh)).toEqual([second.key]);
  });

  test.each([0, 1, 2])('are complete after the next start, if a crash came after %i of them', async (done) => {
    const [first, second] = [await deskWithKey('First'), await deskWithKey('Second')];
    const whole = join(tempFolder(), 'whole');
    const { manifest } = await restore(first.backup, whole);
    const ready = join(second.dir, 'restore.ready');
    cpSync(whole, ready, { recursive: true, filter: (path) => !path.includes('run') });
    writeFileSync(join(ready, 'manifest.json'), JSON.stringify(manifest));
    const name = first.file.slice(-'0x.json'.length - 40);
    if (done > 0) renameSync(join(ready, 'keystores', name), join(second.dir, 'keystores', name));
    if (done > 1) rmSync(second.file);
    expect(await keysOf(second.dir)).toEqual([first.key]);
    expect(existsSync(ready)).toBe(false);
  });

  test('are not lost where a folder has them and nothing else of a desk', async () => {
    const [{ backup }, { dir, file }] = [await deskWithKey('First'), await deskWithKey('Second')];
    for (const name of ['gasdesk.db', 'vault.json']) rmSync(join(dir, name));
    await expect(restore(backup, dir)).rejects.toMatchObject({ code: 'BACKUP_FAILED' });
    expect(existsSync(file)).toBe(true);
  });
});

test('a restore that was killed before it was decided leaves the desk as it was, and nothing readable behind', async () => {
  const { dir } = await deskWith('Mine');
  for (const left of ['restore.new', 'backup.tmp']) {
    mkdirSync(join(dir, left));
    writeFileSync(join(dir, left, 'gasdesk.db'), 'half');
  }
  expect(await accountsOf(dir, PASSPHRASE)).toEqual(['Operator', 'Mine']);
  expect(readdirSync(dir).sort()).toEqual(['engine.lock', 'gasdesk.db', 'log-end', 'run', 'vault.json']);
});

describe('the vault in a backup', () => {
  test('of a desk that only the machine’s keychain opens, opens elsewhere with the passphrase of the backup', async () => {
    const dir = tempFolder();
    const vault = openVault(vaultInFile(join(dir, 'vault.json')));
    const key = new Secret(new Uint8Array(32).fill(7));
    await vault.create({ key });
    await vault.set('name', new Secret('value'));
    const text = (await vault.copyUnder(secret))();
    const elsewhere = join(tempFolder(), 'vault.json');
    writeFileSync(elsewhere, text);
    const copy = openVault(vaultInFile(elsewhere));
    await copy.unlock({ passphrase: secret });
    expect(copy.get('name')?.reveal()).toBe('value');
    expect(copy.webhookSecret('x').reveal()).toBe(vault.webhookSecret('x').reveal());
    await expect(copy.unlock({ key })).rejects.toMatchObject({ code: 'VAULT_PASSPHRASE_WRONG' });
  });

  test('has a short passphrase only where that opens the vault, too', async () => {
    const dir = tempFolder();
    const engine = await engineOf(dir, 'short');
    const create = (passphrase: string) => engine.service.call('backups.create', { passphrase });
    await expect(create('other')).rejects.toMatchObject({ code: 'VALIDATION' });
    const { path } = await create('short');
    expect(existsSync(path)).toBe(true);
    await engine.stop();
  });

  test('of a locked desk needs the vault’s own passphrase: no backup is made with unusable keys', async () => {
    const { dir } = await deskWith('Locked');
    const engine = await engineOf(dir);
    const create = (passphrase: string) => engine.service.call('backups.create', { passphrase });
    await expect(create(OTHER)).rejects.toMatchObject({ code: 'VAULT_LOCKED' });
    const { path } = await create(PASSPHRASE);
    await engine.stop();
    const opened = await openBackup(path, new Secret(PASSPHRASE));
    const copy = openVault(vaultInFile(join(opened.dir, 'vault.json')));
    await copy.unlock({ passphrase: new Secret(PASSPHRASE) });
    expect(copy.names()).toHaveLength(1);
    opened.close();
    expect(existsSync(opened.dir)).toBe(false);
  });
});

test('the engine ends while a backup is being made: it waits for no disk, and leaves neither half a file nor the copy', async () => {
  const { dir } = await deskWith('Mine');
  const engine = await engineOf(dir, PASSPHRASE);
  const file = join(tempFolder(), 'never');
  const making = engine.service.call('backups.create', { file, passphrase: OTHER });
  const [made] = await Promise.allSettled([making, engine.stop()]);
  expect(made).toMatchObject({ status: 'rejected', reason: { code: 'BACKUP_FAILED' } });
  expect([existsSync(file), existsSync(`${file}.new`), existsSync(join(dir, 'backup.tmp'))]).toEqual([
    false,
    false,
    false,
  ]);
});

test('two backups at once are not mixed up: the second is refused', async () => {
  const engine = await quickEngine(tempFolder());
  const [one, two] = await Promise.allSettled([
    engine.service.call('backups.create', { file: 'one', passphrase: OTHER }),
    engine.service.call('backups.create', { file: 'two', passphrase: OTHER }),
  ]);
  expect([one.status, two.status]).toEqual(['fulfilled', 'rejected']);
  const { folder, backups } = await engine.service.call('backups.list', {});
  expect(backups.map(({ path }) => path)).toEqual([join(folder, 'one.gasdesk-backup')]);
  await engine.stop();
});

test.skipIf(!canMount)('a full disk: no half backup, no half restore, and both say why', async () => {
  const { dir, backup } = await deskWith('Mine');
  const full = tempFolder();
  expect(mountSmall(full)).toBe(true);
  try {
    fillUp(join(full, 'filler'));
    truncateSync(join(full, 'filler'), statSync(join(full, 'filler')).size - 65_536);
    const engine = await engineOf(dir, PASSPHRASE);
    const making = engine.service.call('backups.create', { file: full, passphrase: OTHER });
    await expect(making).rejects.toMatchObject({
      code: 'BACKUP_NO_ROOM',
      message: expect.stringContaining(`on the disk of ${full}, but only 0 MiB is free`) as string,
    });
    await engine.stop();
    expect(readdirSync(full)).toEqual(['filler']);
    const target = join(full, 'desk');
    await expect(restore(backup, target)).rejects.toMatchObject({
      code: 'DATA_FOLDER_UNUSABLE',
      message: expect.stringMatching('ENOSPC') as string,
    });
    expect(readdirSync(full)).toEqual(['filler']);
  } finally {
    unmount(full);
  }
});
