import { z } from 'zod';
import { address } from '../shared/schema/hex.ts';
import { loopbackUrl, name } from '../shared/schema/text.ts';
import { procedure } from './procedure.ts';

/** The password of one key. Every use of the key requires it. */
const password = z.string().min(1).max(1_000);

const keystore = z.strictObject({
  address,
  label: z.string(),
  createdAt: z.number().describe('epoch ms; 0 if unknown'),
  error: z.string().nullable().describe('What is wrong with the file; null if it is valid'),
});

/**
 * A key that signs in the engine's process. Ledgers and pasted signatures need no such key. The password opens a
 * keystore for this use only.
 */
export const signingKey = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('keystore'), address, password }),
  z.strictObject({ kind: z.literal('wallet'), url: loopbackUrl, address }),
]);

export type SigningKey = z.output<typeof signingKey>;

/** Procedures for the keys of funding wallets and contract owners: local keystores, and wallets on this machine. */
export const keyProcedures = {
  'keystores.list': procedure({
    summary: 'List the local keys, without secrets',
    output: z.array(keystore),
    errors: ['DATA_FOLDER_UNUSABLE'],
  }),
  'keystores.create': procedure({
    summary: 'Create a local key: a keystore file, encrypted with its password (Web3 Secret Storage, version 3)',
    input: z.strictObject({ label: name, password }),
    output: keystore,
    errors: ['DATA_FOLDER_UNUSABLE'],
  }),
  'keystores.import': procedure({
    summary: 'Import a copy of a keystore file; its own password opens it',
    input: z.strictObject({ label: name, keystore: z.string().max(20_000), password }),
    output: keystore,
    errors: ['KEYSTORE_INVALID', 'KEYSTORE_EXISTS', 'KEYSTORE_PASSWORD_WRONG', 'DATA_FOLDER_UNUSABLE'],
  }),
  'keystores.export': procedure({
    summary: 'Export a keystore file, still encrypted with its password',
    input: z.strictObject({ address }),
    output: z.strictObject({ fileName: z.string(), keystore: z.string() }),
    errors: ['KEYSTORE_NOT_FOUND', 'KEYSTORE_INVALID'],
  }),
  'keystores.remove': procedure({
    summary: 'Delete a keystore file, which requires its password. Without another copy of the file, the key is lost',
    input: z.strictObject({
      address,
      password: password.optional().describe('Not needed for a damaged file, which is only renamed'),
    }),
    errors: ['KEYSTORE_NOT_FOUND', 'KEYSTORE_INVALID', 'KEYSTORE_PASSWORD_WRONG', 'DATA_FOLDER_UNUSABLE'],
  }),
  'wallets.accounts': procedure({
    summary: 'Ask a wallet on this machine for its accounts. The wallet may ask its owner first',
    input: z.strictObject({ url: loopbackUrl }),
    output: z.strictObject({ accounts: z.array(address) }),
    errors: ['WALLET_UNREACHABLE', 'SIGNING_REFUSED'],
  }),
};
