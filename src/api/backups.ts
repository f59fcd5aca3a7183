import { z } from 'zod';
import { procedure } from './procedure.ts';

const continuousBackup = z.strictObject({
  target: z.string().nullable().describe('Where the copy is; null: there is none'),
  copiedAt: z
    .number()
    .nullable()
    .describe('Everything up to this time can be restored, epoch ms; null until the target has a whole database'),
  behindMs: z.number().describe('Age of the newest state that can be restored, or time since copying began'),
  error: z.string().nullable().describe('Why the last attempt failed; null if it succeeded'),
});

const backup = z.strictObject({ path: z.string(), bytes: z.number(), madeAt: z.number().describe('Epoch ms') });

/** Procedures for backups. No procedure restores a backup, because a restore requires that the engine is stopped. */
export const backupProcedures = {
  'backups.create': procedure({
    summary: 'Write everything to one encrypted file. Gasdesk continues to decide meanwhile',
    input: z.strictObject({
      file: z
        .string()
        .min(1)
        .max(4096)
        .regex(/^\P{Cc}*$/u, 'must not contain control characters')
        .optional()
        .describe("An absolute path on the engine's machine, or a file name in the backups folder"),
      passphrase: z.string().min(1).max(1000).describe('At least 8 characters, or the passphrase of the vault'),
      force: z
        .boolean()
        .default(false)
        .describe('Replace an existing backup whose name ends in .gasdesk-backup and that a passphrase encrypts'),
    }),
    output: backup,
    errors: ['BACKUP_EXISTS', 'BACKUP_FAILED', 'BACKUP_NO_ROOM', 'VAULT_LOCKED', 'VAULT_DAMAGED'],
  }),
  'backups.list': procedure({
    summary: 'List the backups in the default backups folder, newest first',
    output: z.strictObject({ folder: z.string(), backups: z.array(backup), continuous: continuousBackup }),
  }),
  'backups.follow': procedure({
    summary: 'Keep an encrypted copy up to date in a folder or an object store, or stop doing so',
    input: z.strictObject({
      target: z.string().min(1).max(4096).nullable().describe('A value of the setting continuousBackup; null: no copy'),
    }),
    output: continuousBackup,
    errors: ['BACKUP_FAILED', 'CONFIG_INVALID', 'CONFIG_OVERRIDDEN', 'DATA_FOLDER_UNUSABLE'],
  }),
};
