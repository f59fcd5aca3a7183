import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Extract } from 'tar-stream';
import { EngineError } from '../../shared/errors.ts';
import { dataFiles } from '../data-folder/data-folder.ts';
import type { Secret } from '../base/secret.ts';
import { errorsOf, schemaOf } from '../store/sqlite/snapshots.ts';
import { MANIFEST_NAME, type Manifest, readManifest, unreadable } from './manifest.ts';
import { isAgeFile } from './write-backup.ts';

/** An open backup. Its unpacked files are not encrypted. */
export interface OpenedBackup {
  readonly manifest: Manifest;
  readonly dir: string;
  /** The database: a single file without a write-ahead log. Open it read-only. */
  readonly database: string;
  close(): void;
}

type Entry = Extract extends AsyncIterable<infer Each> ? Each : never;

/** Enough for about 25,000 keystores. */
const MAX_MANIFEST_BYTES = 4 * 1_048_576;

const readFirst = async (file: string, entry: Entry): Promise<Manifest> => {
  const { name, size } = entry.header;
  if (name !== MANIFEST_NAME || size > MAX_MANIFEST_BYTES) {
    throw unreadable(file, 'it does not contain a Gasdesk backup');
  }
  return readManifest(file, await text(entry));
};

/** Writes an archive entry to a file. @returns its SHA-256 */
const unpack = async (entry: Entry, to: string): Promise<string> => {
  const hash = createHash('sha256');
  const hashed = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  const out = createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true });
  await pipeline(entry, hashed, out);
  return hash.digest('hex');
};

/** Unpacks the entries that the manifest lists, in its order, and refuses any others. */
const takeEntries = async (file: string, archive: Extract, dir: string): Promise<Manifest> => {
  let manifest: Manifest | undefined;
  let taken = 0;
  for await (const entry of archive) {
    if (manifest === undefined) {
      manifest = await readFirst(file, entry);
      continue;
    }
    const { name, size, type } = entry.header;
    const listed = manifest.files[taken];
    taken += 1;
    if (name !== listed?.name || size !== listed.bytes || type !== 'file') {
      throw unreadable(file, `it contains a file that its manifest does not list: ${name.slice(0, 100)}`);
    }
    if ((await unpack(entry, join(dir, listed.name))) !== listed.sha256) {
      throw unreadable(file, `${listed.name} in it differs from its manifest`);
    }
  }
  if (manifest === undefined || taken < manifest.files.length) throw unreadable(file, 'it is incomplete');
  return manifest;
};

const checkDatabase = (file: string, database: string, manifest: Manifest): void => {
  const [error] = errorsOf(database);
  if (error !== undefined) throw unreadable(file, `its database is damaged (${error})`);
  if (schemaOf(database) !== manifest.schema)
    throw unreadable(file, 'its database has a schema other than its manifest says');
};

const isWriteError = (error: unknown): error is Error =>
  error instanceof Error && 'syscall' in error && error.syscall !== 'read';

const explain = (file: string, errors: readonly unknown[]): EngineError => {
  const expected = errors.find((error) => error instanceof EngineError);
  if (expected !== undefined) return expected;
  const disk = errors.find(isWriteError);
  if (disk !== undefined) {
    const message = `Cannot unpack the backup: ${disk.message}`;
    return new EngineError('DATA_FOLDER_UNUSABLE', message, { file }, { cause: disk });
  }
  return unreadable(file, 'it was altered or cut short', errors[0]);
};

const unpackAll = async (
  file: string,
  passphrase: Secret<string>,
  dir: string,
  signal?: AbortSignal,
): Promise<Manifest> => {
  // Loaded here because an engine that only starts needs none of it.
  const { Decrypter } = await import('age-encryption');
  const { extract } = await import('tar-stream');
  const { passphraseIdentity } = await import('./age-passphrase.ts');
  const decrypter = new Decrypter();
  decrypter.addIdentity(passphraseIdentity(passphrase));
  const archive = extract();
  const source = createReadStream(file);
  try {
    const plain = await decrypter.decrypt(ReadableStream.from<Uint8Array>(source));
    const [fed, taken] = await Promise.allSettled([
      pipeline(plain, archive, { ...(signal && { signal }) }),
      takeEntries(file, archive, dir),
    ]);
    if (fed.status === 'fulfilled' && taken.status === 'fulfilled') return taken.value;
    throw explain(
      file,
      [taken, fed].flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : [])),
    );
  } catch (error) {
    throw explain(file, [error]);
  } finally {
    source.destroy();
    archive.destroy();
  }
};

/** Requires a file that may be a backup, without its passphrase. @throws EngineError `BACKUP_UNREADABLE` */
export const requireAgeFile = async (file: string): Promise<void> => {
  let isAge: boolean;
  try {
    isAge = await isAgeFile(file);
  } catch (cause) {
    throw unreadable(file, (cause as Error).message, cause);
  }
  if (!isAge) throw unreadable(file, 'it does not begin like one');
};

/**
 * Decrypts a backup into a folder and checks everything: the authentication tags, the manifest, each file's hash, the
 * database's integrity and its schema. Memory use does not grow with the backup.
 *
 * @example const backup = await openBackup(file, passphrase); try { new Database(backup.database, { readonly: true });
 * } finally { backup.close(); }
 *
 * @param dir an empty folder, accessible to its owner only; by default a new temporary folder
 * @param signal aborts the operation
 * @throws EngineError `BACKUP_UNREADABLE`, `BACKUP_PASSPHRASE_WRONG`, `BACKUP_TOO_NEW`, or `DATA_FOLDER_UNUSABLE` if
 * the disk is full; the folder is then removed
 */
export const openBackup = async (
  file: string,
  passphrase: Secret<string>,
  dir: string = mkdtempSync(join(tmpdir(), 'gasdesk-backup-')),
  signal?: AbortSignal,
): Promise<OpenedBackup> => {
  const close = (): void => rmSync(dir, { recursive: true, force: true });
  try {
    await requireAgeFile(file);
    const manifest = await unpackAll(file, passphrase, dir, signal);
    const database = join(dir, dataFiles.database);
    checkDatabase(file, database, manifest);
    return { manifest, dir, database, close };
  } catch (error) {
    close();
    throw error;
  }
};
