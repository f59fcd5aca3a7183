import { z } from 'zod';
import { leastPassphrase } from '../shared/least-passphrase.ts';
import { procedure } from './procedure.ts';

const passphrase = z.string().min(1).max(1_000);

/** The passphrase that protects keys from now on. */
const newPassphrase = z.string().min(leastPassphrase, `must have at least ${leastPassphrase} characters`).max(1_000);
const done = z.strictObject({ vault: z.literal('unlocked') });

export const vaultProcedures = {
  'vault.open': procedure({
    summary: 'Unlock the vault with its passphrase, or create it',
    input: z.strictObject({ passphrase }),
    output: done,
    errors: ['VAULT_PASSPHRASE_WRONG', 'VAULT_DAMAGED', 'DATA_FOLDER_UNUSABLE'],
  }),
  'vault.unlockers': procedure({
    summary: 'What unlocks the vault: a passphrase, a key that this machine stores, or both',
    output: z.strictObject({ passphrase: z.boolean(), key: z.boolean() }),
    errors: ['VAULT_DAMAGED', 'DATA_FOLDER_UNUSABLE'],
  }),
  'vault.setPassphrase': procedure({
    summary: 'Set or change the passphrase of the unlocked vault. Older copies of the vault keep the old passphrase',
    input: z.strictObject({
      passphrase: newPassphrase,
      current: passphrase.optional().describe('The current passphrase; required if the vault has one'),
    }),
    output: done,
    errors: ['VAULT_LOCKED', 'VAULT_PASSPHRASE_WRONG', 'VAULT_DAMAGED', 'DATA_FOLDER_UNUSABLE'],
  }),
};
