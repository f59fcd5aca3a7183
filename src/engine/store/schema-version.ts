import { EngineError } from '../../shared/errors.ts';

/** Version of the tables, on SQLite and on PostgreSQL alike. Every change to them is a new version. */
export const SCHEMA_VERSION = 214;

const EARLIER =
  'Export its policies with the Gasdesk that wrote it ("gasdesk policy export"), and apply them to a new data folder ("gasdesk policy apply").';

/** Why a database or backup of an earlier schema cannot be read, and what to do. */
export const earlierSchemaWords = (schema: number): string =>
  `It has schema ${schema}, from before version 1.0, and this Gasdesk reads schema ${SCHEMA_VERSION}. ${EARLIER}`;

/**
 * Whether a database contains the tables of this version.
 *
 * @param schema the version that it names; 0 for an empty database
 * @throws EngineError `DATABASE_TOO_NEW` or `DATABASE_TOO_OLD` if another version of Gasdesk wrote it
 */
export const hasSchema = (schema: number): boolean => {
  const data = { found: schema, known: SCHEMA_VERSION };
  if (schema > SCHEMA_VERSION) {
    const fix = 'Use a newer Gasdesk, or restore a backup.';
    const message = `The database has schema ${schema}, and this Gasdesk knows up to ${SCHEMA_VERSION}. ${fix}`;
    throw new EngineError('DATABASE_TOO_NEW', message, { ...data, fix });
  }
  if (schema !== 0 && schema < SCHEMA_VERSION) {
    throw new EngineError('DATABASE_TOO_OLD', earlierSchemaWords(schema), { ...data, fix: EARLIER });
  }
  return schema === SCHEMA_VERSION;
};
