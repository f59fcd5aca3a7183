import { z } from 'zod';
import { procedure } from './procedure.ts';

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
    output: z.strictObject({ folder: z.string(), backups: z.array(backup) }),
  }),
};
