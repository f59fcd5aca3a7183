import { z } from 'zod';
import { EngineError } from '../../shared/errors.ts';
import { KEYSTORES, KEYSTORE_NAME, keptFiles } from '../data-folder/data-folder.ts';
import { newestSchema } from '../store/sqlite/migrate.ts';

/** Name of the first entry of the archive. */
export const MANIFEST_NAME = 'manifest.json';
const VERSION = 1;

/** The names that an archive may hold: no other path can be told, so that none leads out of the folder. */
const keystorePath = z
  .string()
  .refine((path) => path.startsWith(`${KEYSTORES}/`) && KEYSTORE_NAME.test(path.slice(KEYSTORES.length + 1)));

const manifestSchema = z.strictObject({
  format: z.literal('gasdesk-backup'),
  version: z.literal(VERSION),
  /** Epoch ms: what was decided until then is in it. */
  madeAt: z.int().min(0),
  /** Version of the Gasdesk that made it. */
  gasdesk: z.string(),
  /** Schema of the database in it. */
  schema: z.int().min(0),
  /** In the order of the archive. */
  files: z.array(
    z.strictObject({
      name: z.union([z.enum(keptFiles), keystorePath]),
      bytes: z.int().min(0),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
});

/** What a backup says of itself. */
export type Manifest = z.infer<typeof manifestSchema>;

/** The text of the manifest. */
export const manifestText = (manifest: Omit<Manifest, 'format' | 'version'>): string =>
  `${JSON.stringify({ format: 'gasdesk-backup', version: VERSION, ...manifest }, null, 2)}\n`;

/** The version alone: whatever else a newer manifest holds, it says that it is newer. */
const versionSchema = z.object({ format: z.literal('gasdesk-backup'), version: z.int() });

/** The error that says what is wrong with the file. */
export const unreadable = (file: string, fault: string, cause?: unknown): EngineError =>
  new EngineError('BACKUP_UNREADABLE', `${file} is not a readable backup: ${fault}`, { file }, { cause });

const tooNew = (file: string, what: string): EngineError =>
  new EngineError('BACKUP_TOO_NEW', `A newer Gasdesk made ${file}: ${what}. Use that version.`, { file });

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** Reads the manifest of the backup `file`. @throws EngineError `BACKUP_UNREADABLE` or `BACKUP_TOO_NEW` */
export const readManifest = (file: string, text: string): Manifest => {
  const json = parseJson(text);
  const { data: told } = versionSchema.safeParse(json);
  if (told === undefined) throw unreadable(file, 'it does not contain a Gasdesk backup');
  if (told.version > VERSION) throw tooNew(file, `it has format ${told.version}, and this Gasdesk reads ${VERSION}`);
  const { data: manifest } = manifestSchema.safeParse(json);
  if (manifest === undefined) throw unreadable(file, 'its manifest is not in the format that this Gasdesk reads');
  if (manifest.schema > newestSchema) {
    throw tooNew(file, `its database has schema ${manifest.schema}, and this Gasdesk knows up to ${newestSchema}`);
  }
  if (!manifest.files.some(({ name }) => name === keptFiles.database)) throw unreadable(file, 'it has no database');
  return manifest;
};
