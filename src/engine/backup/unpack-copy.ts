import { createHash } from 'node:crypto';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { version } from '../base/version.ts';
import type { Secret } from '../base/secret.ts';
import { readCopy } from '../continuous-backup/read-copy.ts';
import { isS3, openTarget } from '../continuous-backup/open-target.ts';
import type { S3Access } from '../continuous-backup/target.ts';
import { dataFiles } from '../data-folder/data-folder.ts';
import { endWriteAheadLog, errorsOf, schemaOf } from '../store/sqlite/snapshots.ts';
import { type Manifest, manifestText, readManifest, unreadable } from './manifest.ts';

/** True for the target of a continuous backup. Any other backup is a file. */
export const isCopyTarget = (name: string): boolean => isS3(name) || (existsSync(name) && statSync(name).isDirectory());

const sha256Of = async (file: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
};

interface CopyOrder {
  readonly file: string;
  readonly s3: S3Access;
  readonly passphrase: Secret<string>;
  readonly until: number | undefined;
}

/**
 * Restores a continuous backup into a folder, checks it, and describes it like a backup in a file.
 *
 * @throws EngineError `BACKUP_UNREADABLE`, `BACKUP_PASSPHRASE_WRONG`, `BACKUP_TOO_NEW`, `BACKUP_TOO_OLD`
 */
export const unpackCopy = async ({ file, s3, passphrase, until }: CopyOrder, dir: string): Promise<Manifest> => {
  const { at, files: names } = await readCopy(openTarget({ target: file, s3 }), passphrase, dir, until);
  const database = join(dir, dataFiles.database);
  endWriteAheadLog(database);
  const [error] = errorsOf(database);
  if (error !== undefined) throw unreadable(file, `its database is damaged (${error})`);
  const files = names.map(async (name) => {
    const path = join(dir, name);
    return { name, bytes: statSync(path).size, sha256: await sha256Of(path) };
  });
  const manifest = { madeAt: at, gasdesk: version, schema: schemaOf(database), files: await Promise.all(files) };
  return readManifest(file, manifestText(manifest));
};
