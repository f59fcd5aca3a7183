import { appendFileSync, chmodSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ReadableStream } from 'node:stream/web';
import { Decrypter, Encrypter } from 'age-encryption';
import Database from 'better-sqlite3';
import { extract, pack } from 'tar-stream';
import { beforeAll, describe, expect, test } from 'vitest';
import { passphraseRecipient } from '../../src/engine/backup/age-passphrase.ts';
import { readManifest } from '../../src/engine/backup/manifest.ts';
import { openBackup } from '../../src/engine/backup/open-backup.ts';
import { restoreBackup } from '../../src/engine/backup/restore.ts';
import { systemEntropy } from '../../src/engine/base/clock.ts';
import { Secret } from '../../src/engine/base/secret.ts';
import { EngineError } from '../../src/shared/errors.ts';
import { folderHash } from '../support/folder-hash.ts';
import { quickEngine } from '../support/quick-engine.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();
const PASSPHRASE = new Secret('of the backup');
/** A guess of the passphrases here costs next to nothing. */
const LOG_N = 10;

let dir: string;
let backup: string;
/** What the age format says before the payload: everything in it decides how the file is opened. */
let headerBytes: number;

beforeAll(async () => {
  dir = tempFolder();
  const engine = await quickEngine(dir);
  await engine.service.call('signers.create', { chainId: 31337 });
  const { path } = await engine.service.call('backups.create', {
    file: join(tempFolder(), 'good'),
    passphrase: PASSPHRASE.reveal(),
  });
  await engine.stop();
  backup = path;
  headerBytes = readFileSync(backup).indexOf('\n--- ') + '\n--- '.length + 43 + '\n'.length;
});

const restore = (file: string, into: string, passphrase = PASSPHRASE) =>
  restoreBackup({ file, passphrase, dir: into, now: Date.now, logN: LOG_N });

/** Tries to restore into the desk and into an empty folder, and answers why it is refused. Neither has changed then. */
const refusal = async (file: string, passphrase = PASSPHRASE): Promise<string> => {
  const empty = tempFolder();
  const before = folderHash(dir);
  const refused = await restore(file, dir, passphrase).then(
    () => 'RESTORED',
    (error: unknown) => (error instanceof EngineError ? `${error.code}: ${error.message}` : String(error)),
  );
  expect(folderHash(dir)).toEqual(before);
  await expect(restore(file, empty, passphrase)).rejects.toThrow();
  expect(folderHash(empty)).toEqual({});
  return refused.replace(file, 'FILE');
};

const copyOf = (change: (bytes: Buffer) => Buffer): string => {
  const file = join(tempFolder(), 'changed');
  writeFileSync(file, change(Buffer.from(readFileSync(backup))));
  return file;
};

const altered = (at: number, bit = 0): string =>
  copyOf((bytes) => {
    bytes[at]! ^= 1 << bit;
    return bytes;
  });

/** Entries of an archive by their names, in order. */
type Entries = [name: string, content: Buffer][];

/** The archive of the good backup, by the scrypt identity of the age package: another reader than the product's. */
const entriesOf = async (file: string): Promise<Entries> => {
  const decrypter = new Decrypter();
  decrypter.addPassphrase(PASSPHRASE.reveal());
  const archive = extract();
  archive.end(await decrypter.decrypt(readFileSync(file)));
  const entries: Entries = [];
  for await (const entry of archive) entries.push([entry.header.name, await buffer(entry)]);
  return entries;
};

/** A backup whose seals are good and whose content is not: only someone who knows the passphrase can make one. */
const sealed = async (entries: Entries, link?: string): Promise<string> => {
  const archive = pack();
  for (const [name, content] of entries) archive.entry({ name }, content);
  if (link !== undefined) archive.entry({ name: link, type: 'symlink', linkname: '/etc/passwd' });
  archive.finalize();
  const encrypter = new Encrypter();
  encrypter.addRecipient(passphraseRecipient(PASSPHRASE, LOG_N, systemEntropy));
  const file = join(tempFolder(), 'sealed');
  const bytes = await encrypter.encrypt(ReadableStream.from(archive) as never);
  writeFileSync(file, await buffer(bytes as never));
  return file;
};

/** The good backup with another manifest. */
const withManifest = async (change: (manifest: Record<string, unknown>) => unknown): Promise<string> => {
  const [[name, text], ...files] = (await entriesOf(backup)) as [Entries[0], ...Entries];
  const changed = change(JSON.parse(text.toString()) as Record<string, unknown>);
  return sealed([[name, Buffer.from(JSON.stringify(changed))], ...files]);
};

describe('what would destroy a desk is refused with nothing changed:', () => {
  test('a passphrase that is not the backup’s', async () => {
    expect(await refusal(backup, new Secret('of something else'))).toMatch(
      /^BACKUP_PASSPHRASE_WRONG: Wrong passphrase for the backup/,
    );
  });

  test('a file that is missing, empty, or something else', async () => {
    expect(await refusal('/nowhere/backup')).toMatch(/^BACKUP_UNREADABLE: FILE is not a readable backup: ENOENT/);
    const empty = copyOf(() => Buffer.alloc(0));
    const photo = copyOf(() => Buffer.from('\x89PNG\r\n and so on'.repeat(100)));
    for (const file of [empty, photo]) {
      expect(await refusal(file)).toBe('BACKUP_UNREADABLE: FILE is not a readable backup: it does not begin like one');
    }
  });

  test('one that is cut short anywhere, or longer than it was', async () => {
    const { length } = readFileSync(backup);
    const lengths = [30, headerBytes, headerBytes + 16, headerBytes + 1000, 66_000, length - 65_552, length - 1];
    for (const cut of lengths) {
      const file = copyOf((bytes) => bytes);
      truncateSync(file, cut);
      expect(await refusal(file), `cut to ${cut}`).toMatch(/^BACKUP_UNREADABLE/);
    }
    const longer = copyOf((bytes) => bytes);
    appendFileSync(longer, '\0');
    expect(await refusal(longer)).toMatch(/^BACKUP_UNREADABLE/);
  });

  test('one with any byte of its beginning altered', async () => {
    for (let at = 0; at < headerBytes; at += 1) {
      const open = openBackup(altered(at, at % 7), PASSPHRASE);
      await expect(open, `byte ${at}`).rejects.toMatchObject({
        code: expect.stringMatching(/^BACKUP_(UNREADABLE|PASSPHRASE_WRONG)$/) as string,
      });
    }
  });

  test('one with a byte altered anywhere else', async () => {
    const { length } = readFileSync(backup);
    const places = Array.from(
      { length: 12 },
      (_, index) => headerBytes + Math.floor((index * (length - headerBytes)) / 12),
    );
    for (const at of [...places, length - 1]) {
      expect(await refusal(altered(at, at % 8)), `byte ${at}`).toBe(
        'BACKUP_UNREADABLE: FILE is not a readable backup: it was altered or cut short',
      );
    }
  });

  test('one that a newer Gasdesk made', async () => {
    expect(await refusal(await withManifest((manifest) => ({ ...manifest, version: 2, more: true })))).toBe(
      'BACKUP_TOO_NEW: A newer Gasdesk made FILE: it has format 2, and this Gasdesk reads 1. Use that version.',
    );
    expect(await refusal(await withManifest((manifest) => ({ ...manifest, schema: 9_999 })))).toMatch(
      /^BACKUP_TOO_NEW: A newer Gasdesk made FILE: its database has schema 9999/,
    );
  });

  test('a database that SQLite finds damaged, or of another schema than it is said to be', async () => {
    const file = join(tempFolder(), 'gasdesk.db');
    const remade = async (change: (database: Buffer) => Buffer): Promise<string> => {
      const { manifestWith, rest } = await parts();
      return sealed([manifestWith(change(rest[0]![1])), ['gasdesk.db', change(rest[0]![1])], ...rest.slice(1)]);
    };
    const damaged = (bytes: Buffer): Buffer =>
      Buffer.concat([bytes.subarray(0, 8_192), Buffer.alloc(bytes.length - 8_192, 7)]);
    expect(await refusal(await remade(damaged))).toMatch(/its database is damaged/);
    const older = (bytes: Buffer): Buffer => {
      writeFileSync(file, bytes);
      const database = new Database(file);
      database.pragma('user_version = 3');
      database.close();
      return readFileSync(file);
    };
    expect(await refusal(await remade(older))).toMatch(/its database has a schema other than its manifest says/);
  });

  test('files that are not listed, missing, of another content, or that lead elsewhere', async () => {
    const [manifest, database, vault] = (await entriesOf(backup)) as [Entries[0], Entries[0], Entries[0]];
    const other: Entries[0] = [vault[0], Buffer.from(vault[1].toString().replace('gasdesk', 'GASDESK'))];
    const cases: [Entries, string?][] = [
      [[manifest, database]],
      [[manifest, vault, database]],
      [[manifest, database, other]],
      [[manifest, database, vault, ['../../escaped', Buffer.from('x')]]],
      [[manifest, database], 'vault.json'],
      [[database, vault]],
      [[]],
    ];
    for (const [entries, link] of cases)
      expect(await refusal(await sealed(entries, link))).toMatch(/^BACKUP_UNREADABLE/);
    const place = (name: string) =>
      withManifest((given) => ({
        ...given,
        files: [...(given['files'] as object[]), { name, bytes: 0, sha256: '0'.repeat(64) }],
      }));
    for (const name of [
      'keystores/../../escaped.json',
      `keystores/../0x${'11'.repeat(20)}.json`,
      `keystores/sub/0x${'11'.repeat(20)}.json`,
      `keystores\\0x${'11'.repeat(20)}.json`,
      `/keystores/0x${'11'.repeat(20)}.json`,
      `keystores/0x${'11'.repeat(20)}.json\n`,
      'keystores/',
      'keystores',
    ]) {
      expect(await refusal(await place(name)), name).toMatch(/its manifest is not in the form/);
    }
    expect(await refusal(await withManifest(() => ({ format: 'something else', version: 1 })))).toMatch(
      /does not contain a Gasdesk backup/,
    );
    expect(await refusal(await withManifest((all) => ({ ...all, files: [] })))).toMatch(/it has no database/);
  });

  test('a folder that holds something else than a desk', async () => {
    const photos = tempFolder();
    writeFileSync(join(photos, 'photo.png'), 'x');
    const before = folderHash(photos);
    await expect(restore(backup, photos)).rejects.toMatchObject({ code: 'DATA_FOLDER_UNUSABLE' });
    expect(folderHash(photos)).toEqual(before);
  });

  test.skipIf(process.platform === 'win32')('a read-only folder', async () => {
    const readOnly = tempFolder();
    chmodSync(readOnly, 0o555);
    // Root may write everywhere, so the folder is checked as another user.
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    const restored = restore(backup, readOnly).finally(() => chmodSync(readOnly, 0o700));
    if (isRoot) process.seteuid?.(0);
    await expect(restored).rejects.toMatchObject({ code: 'DATA_FOLDER_UNUSABLE' });
  });

  test('a folder on which an engine runs', async () => {
    const engine = await quickEngine(dir);
    await expect(restore(backup, dir)).rejects.toMatchObject({ code: 'DATA_FOLDER_IN_USE' });
    expect((await engine.service.call('signers.list', {})).length).toBe(1);
    await engine.stop();
  });

  test('a desk that cannot be backed up first', async () => {
    const broken = tempFolder();
    mkdirSync(broken, { recursive: true });
    writeFileSync(join(broken, 'gasdesk.db'), 'my notes\n'.repeat(100));
    await expect(restore(backup, broken)).rejects.toMatchObject({ code: 'BACKUP_FAILED' });
    expect(readFileSync(join(broken, 'gasdesk.db'), 'utf8')).toBe('my notes\n'.repeat(100));
  });
});

/** The parts of the good backup, and what makes a manifest for another database. */
const parts = async () => {
  const [[name, text], ...rest] = (await entriesOf(backup)) as [Entries[0], ...Entries];
  const manifest = readManifest(backup, text.toString());
  const { createHash } = await import('node:crypto');
  const manifestWith = (database: Buffer): Entries[0] => {
    const sha256 = createHash('sha256').update(database).digest('hex');
    const files = manifest.files.map((file) =>
      file.name === 'gasdesk.db' ? { ...file, sha256, bytes: database.length } : file,
    );
    return [name, Buffer.from(JSON.stringify({ ...manifest, files }))];
  };
  return { manifestWith, rest };
};
