import { z } from 'zod';
import { EngineError } from '../../shared/errors.ts';
import { KEYSTORES, KEYSTORE_NAME, dataFiles } from '../data-folder/data-folder.ts';
import { SCHEMA_VERSION, earlierSchemaWords } from '../store/schema-version.ts';

export const MANIFEST_NAME = 'manifest.json';
const VERSION = 1;

/**
 * The only names that an archive may contain. They cannot express any other path, so no entry can escape the folder.
 */
const keystorePath = z
  .string()
  .refine((path) => path.startsWith(`${KEYSTORES}/`) && KEYSTORE_NAME.test(path.slice(KEYSTORES.length + 1)));

const manifestSchema = z.strictObject({
  format: z.literal('gasdesk-backup'),
  version: z.literal(VERSION),
  /** Epoch ms. The backup contains everything decided until then. */
  madeAt: z.int().min(0),
  gasdesk: z.string(),
  schema: z.int().min(0),
  /** In archive order. */
  files: z.array(
    z.strictObject({
      name: z.union([z.enum(dataFiles), keystorePath]),
      bytes: z.int().min(0),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
});

export type Manifest = z.infer<typeof manifestSchema>;

export const manifestText = (manifest: Omit<Manifest, 'format' | 'version'>): string =>
  `${JSON.stringify({ format: 'gasdesk-backup', version: VERSION, ...manifest }, null, 2)}\n`;

/** Checks only the version. A newer manifest may contain anything else, and is then reported as too new. */
const versionSchema = z.object({ format: z.literal('gasdesk-backup'), version: z.int() });

export const unreadable = (file: string, error: string, cause?: unknown): EngineError =>
  new EngineError('BACKUP_UNREADABLE', `${file} is not a readable backup: ${error}`, { file }, { cause });

const tooNew = (file: string, what: string): EngineError =>
  new EngineError('BACKUP_TOO_NEW', `A newer Gasdesk made ${file}: ${what}. Use that version.`, { file });

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** Reads the manifest of the backup `file`. @throws EngineError `BACKUP_UNREADABLE`, `BACKUP_TOO_NEW` or `BACKUP_TOO_OLD` */
export const readManifest = (file: string, text: string): Manifest => {
  const json = parseJson(text);
  const { data: header } = versionSchema.safeParse(json);
  if (header === undefined) throw unreadable(file, 'it does not contain a Gasdesk backup');
  if (header.version > VERSION)
    throw tooNew(file, `it has format ${header.version}, and this Gasdesk reads ${VERSION}`);
  const { data: manifest } = manifestSchema.safeParse(json);
  if (manifest === undefined) throw unreadable(file, 'its manifest is not in the format that this Gasdesk reads');
  const { schema } = manifest;
  if (schema > SCHEMA_VERSION) {
    throw tooNew(file, `its database has schema ${schema}, and this Gasdesk knows up to ${SCHEMA_VERSION}`);
  }
  if (schema < SCHEMA_VERSION) throw new EngineError('BACKUP_TOO_OLD', earlierSchemaWords(schema), { file });
  if (!manifest.files.some(({ name }) => name === dataFiles.database)) throw unreadable(file, 'it has no database');
  return manifest;
};
