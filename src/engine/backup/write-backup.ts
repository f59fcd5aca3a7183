import { createHash } from 'node:crypto';
import {
  copyFileSync,
  createReadStream,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ReadableStream } from 'node:stream/web';
import type { Pack } from 'tar-stream';
import { EngineError } from '../../shared/errors.ts';
import type { Entropy } from '../base/clock.ts';
import { portableSettings } from '../config/config.ts';
import { type DataFolder, KEYSTORES, dataFiles, keystoreFiles } from '../data-folder/data-folder.ts';
import { syncFolder } from '../data-folder/write-durably.ts';
import type { Secret } from '../base/secret.ts';
import { schemaOf } from '../store/sqlite/snapshots.ts';
import { version } from '../base/version.ts';
import { MANIFEST_NAME, manifestText } from './manifest.ts';

export interface BackupJob {
  readonly folder: DataFolder;
  /** Absolute path of the backup. */
  readonly file: string;
  readonly passphrase: Secret<string>;
  readonly force: boolean;
  /** scrypt work factor (log2). */
  readonly logN: number;
  readonly entropy: Entropy;
  readonly now: () => number;
  /**
   * Writes a copy of the database to a single file. The copy has the database's state at the moment when the promise
   * resolves.
   */
  readonly copyDatabase: (file: string) => Promise<void>;
  /** Content of the backup's vault file, read when called; undefined if no vault exists. */
  readonly vaultText: () => string | undefined;
  readonly signal?: AbortSignal;
}

export interface MadeBackup {
  readonly path: string;
  readonly bytes: number;
  /** Epoch ms. */
  readonly madeAt: number;
}

type Details = Parameters<typeof manifestText>[0];

/** Where the parts of a backup are collected. Only one backup is made at a time. */
const workingFolder = ({ dir }: Pick<DataFolder, 'dir'>): string => join(dir, 'backup.tmp');

export const BACKUP_EXTENSION = '.gasdesk-backup';

/** Appended to the file name until the file is complete. */
const PARTIAL_EXTENSION = '.new';

const AGE_MAGIC = 'age-encryption.org/v1\n';

const beginsWith = async (file: string, beginning: string): Promise<boolean> => {
  const handle = await open(file, 'r');
  try {
    const head = Buffer.alloc(beginning.length);
    await handle.read(head, 0, head.length, 0);
    return head.toString('latin1') === beginning;
  } finally {
    await handle.close();
  }
};

/** True if the file is encrypted in the age format, as every backup is. @throws file-system Error */
export const isAgeFile = (file: string): Promise<boolean> => beginsWith(file, AGE_MAGIC);

/**
 * True for a file that is named like a backup and encrypted with a passphrase. Nothing else in an age file can be read
 * without the passphrase.
 */
const looksLikeBackup = async (file: string): Promise<boolean> =>
  extname(file) === BACKUP_EXTENSION && (await beginsWith(file, `${AGE_MAGIC}-> scrypt `));

const refuseExisting = async (file: string, force: boolean): Promise<void> => {
  if (!existsSync(file)) return;
  // Even with `force`, only a backup or an empty file is overwritten.
  const there = statSync(file);
  const isReplaceable = there.isFile() && (there.size === 0 || (await looksLikeBackup(file)));
  if (isReplaceable && force) return;
  if (isReplaceable) throw new EngineError('BACKUP_EXISTS', `${file} already exists`, { file });
  const fix = force ? 'Remove it first' : 'Choose another name';
  const message = `${file} already exists and does not look like a backup, so Gasdesk does not replace it. ${fix}`;
  throw new EngineError('BACKUP_EXISTS', message, { file, fix });
};

const sha256Of = async (file: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
};

const gather = async ({ folder, now, ...job }: BackupJob, into: string): Promise<Details> => {
  const database = join(into, dataFiles.database);
  await job.copyDatabase(database);
  // No asynchronous code may run between these steps, because the keys in the database and in the vault must match.
  const madeAt = now();
  const vault = job.vaultText();
  if (vault !== undefined) writeFileSync(join(into, dataFiles.vault), vault, { mode: 0o600 });
  if (existsSync(folder.config)) {
    const settings = portableSettings(readFileSync(folder.config, 'utf8'));
    writeFileSync(join(into, dataFiles.config), settings, { mode: 0o600 });
  }
  mkdirSync(join(into, KEYSTORES), { mode: 0o700 });
  const keystores = keystoreFiles(folder.dir);
  for (const name of keystores) copyFileSync(join(folder.dir, name), join(into, name));
  const names = [...Object.values(dataFiles).filter((name) => existsSync(join(into, name))), ...keystores];
  const files = names.map(async (name) => {
    const file = join(into, name);
    return { name, bytes: statSync(file).size, sha256: await sha256Of(file) };
  });
  return { madeAt, gasdesk: version, schema: schemaOf(database), files: await Promise.all(files) };
};

/**
 * Adds the files to the archive as fast as it is read. An error destroys the archive, so that its reader sees the
 * error.
 */
const fill = async (archive: Pack, from: string, details: Details): Promise<void> => {
  const common = { mode: 0o600, mtime: new Date(details.madeAt) };
  try {
    archive.entry({ ...common, name: MANIFEST_NAME }, manifestText(details));
    for (const { name, bytes } of details.files) {
      await pipeline(createReadStream(join(from, name)), archive.entry({ ...common, name, size: bytes }));
    }
    archive.finalize();
  } catch (error) {
    archive.destroy(error as Error);
  }
};

/** Encrypts the collected files to `out`, flushes it to disk and closes it. */
const seal = async (out: FileHandle, from: string, details: Details, job: BackupJob): Promise<void> => {
  // Loaded here because an engine that only starts needs none of it.
  const { Encrypter } = await import('age-encryption');
  const { pack } = await import('tar-stream');
  const { passphraseRecipient } = await import('./age-passphrase.ts');
  const archive = pack();
  const filled = fill(archive, from, details);
  try {
    const encrypter = new Encrypter();
    encrypter.addRecipient(passphraseRecipient(job.passphrase, job.logN, job.entropy));
    const sealed = await encrypter.encrypt(ReadableStream.from(archive as AsyncIterable<Uint8Array>));
    await pipeline(sealed, out.createWriteStream({ flush: true }), { ...(job.signal && { signal: job.signal }) });
  } finally {
    archive.destroy();
    await filled;
  }
};

/** File with the path of the backup that is being written, which may be on any disk. */
const partialNote = (working: string): string => join(working, 'partial');

/** True for a file that an interrupted backup may have created: an empty or an encrypted file. */
const isBegun = (file: string): boolean => {
  if (!existsSync(file) || !lstatSync(file).isFile()) return false;
  const head = Buffer.alloc(AGE_MAGIC.length);
  const descriptor = openSync(file, 'r');
  try {
    const length = readSync(descriptor, head);
    return length === 0 || head.toString('latin1') === AGE_MAGIC;
  } finally {
    closeSync(descriptor);
  }
};

/** Removes the parts and the unfinished file of a killed backup. The data folder must be locked. */
export const removeUnfinishedBackup = (folder: Pick<DataFolder, 'dir'>): void => {
  const working = workingFolder(folder);
  const note = partialNote(working);
  const partial = existsSync(note) ? readFileSync(note, 'utf8') : '';
  if (partial.endsWith(PARTIAL_EXTENSION) && isBegun(partial)) rmSync(partial, { force: true });
  rmSync(working, { recursive: true, force: true });
};

const writeAs = async (partial: string, job: BackupJob): Promise<MadeBackup> => {
  const { file, force, folder } = job;
  const working = workingFolder(folder);
  removeUnfinishedBackup(folder);
  mkdirSync(working, { mode: 0o700 });
  writeFileSync(partialNote(working), partial, { mode: 0o600, flush: true });
  let out: FileHandle | undefined;
  try {
    out = await open(partial, 'wx', 0o600);
    const details = await gather(job, working);
    await seal(out, working, details, job);
    await refuseExisting(file, force);
    const { size: bytes } = statSync(partial);
    await rename(partial, file);
    syncFolder(dirname(file));
    return { path: file, bytes, madeAt: details.madeAt };
  } finally {
    rmSync(working, { recursive: true, force: true });
    await out?.close();
  }
};

/**
 * Makes a backup: a tar archive of {@link MANIFEST_NAME}, {@link dataFiles} and {@link keystoreFiles}, encrypted in the
 * age format with a passphrase, so that `age -d FILE | tar x` also opens it. It is flushed to disk under another name
 * and then renamed, so that `file` is always complete. Memory use does not grow with the database; while the backup is
 * made, the data folder needs space for a copy of the database.
 *
 * @throws EngineError `BACKUP_EXISTS`, `BACKUP_FAILED`, which says why, or the signal's reason; all its files are then
 * removed
 */
export const writeBackup = async (job: BackupJob): Promise<MadeBackup> => {
  const { file, force } = job;
  const partial = file + PARTIAL_EXTENSION;
  let hasBegun = false;
  try {
    await refuseExisting(file, force);
    // Replaces a file that a crash left there.
    await refuseExisting(partial, true);
    hasBegun = true;
    rmSync(partial, { force: true });
    return await writeAs(partial, job);
  } catch (cause) {
    if (cause instanceof EngineError && cause.code === 'BACKUP_EXISTS') throw cause;
    if (job.signal?.reason instanceof EngineError) throw job.signal.reason;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError('BACKUP_FAILED', `Cannot write the backup ${file}: ${why}`, { file }, { cause });
  } finally {
    if (hasBegun) rmSync(partial, { force: true });
  }
};
