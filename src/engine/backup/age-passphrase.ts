import { chacha20poly1305 } from '@noble/ciphers/chacha.js';
import { type Identity, type Recipient, Stanza } from 'age-encryption';
import { EngineError } from '../../shared/errors.ts';
import type { Entropy } from '../base/clock.ts';
import type { Secret } from '../base/secret.ts';
import { deriveKey } from '../signer/vault-file.ts';

/*
 * The passphrase recipient of the age format (age-encryption.org/v1, "The scrypt recipient type"). The age package
 * derives the key on the event loop, which would delay every decision by a second. This recipient derives it on another
 * thread. Passphrases are normalised to NFKC, as for the vault; most keyboards type that form already.
 */

const LABEL = Buffer.from('age-encryption.org/v1/scrypt');
const SALT_BYTES = 16;
/** Limits what opening a file of unknown origin can cost: 1 GiB of memory and a few seconds. */
const MAX_LOG_N = 20;
const NONCE = new Uint8Array(12);

const wrappingKey = (passphrase: Secret<string>, salt: Uint8Array, logN: number): Promise<Buffer> =>
  deriveKey(passphrase, Buffer.concat([LABEL, salt]), { N: 2 ** logN, r: 8, p: 1 });

/** Encrypts with a passphrase. Each guess of the passphrase costs scrypt with N = 2^`logN`. */
export const passphraseRecipient = (passphrase: Secret<string>, logN: number, entropy: Entropy): Recipient => ({
  async wrapFileKey(fileKey) {
    const salt = Buffer.from(entropy.bytes(SALT_BYTES));
    const key = await wrappingKey(passphrase, salt, logN);
    const args = ['scrypt', salt.toString('base64').replace(/=+$/, ''), String(logN)];
    return [new Stanza(args, chacha20poly1305(key, NONCE).encrypt(fileKey))];
  },
});

/**
 * The identity that decrypts with a passphrase. `unwrapFileKey` throws an Error for a file that is not encrypted to a
 * single passphrase, and EngineError `BACKUP_PASSPHRASE_WRONG`.
 */
export const passphraseIdentity = (passphrase: Secret<string>): Identity => ({
  async unwrapFileKey([stanza, ...others]) {
    const [type, salt = '', logN = ''] = stanza?.args ?? [];
    if (stanza === undefined || others.length > 0 || type !== 'scrypt') throw new Error('not locked by a passphrase');
    if (!/^[1-9]\d?$/.test(logN) || Number(logN) > MAX_LOG_N) throw new Error('a work factor beyond all bounds');
    const key = await wrappingKey(passphrase, Buffer.from(salt, 'base64'), Number(logN));
    try {
      return chacha20poly1305(key, NONCE).decrypt(stanza.body);
    } catch {
      throw new EngineError(
        'BACKUP_PASSPHRASE_WRONG',
        'Wrong passphrase for the backup, or the start of the file was altered',
      );
    }
  },
});
