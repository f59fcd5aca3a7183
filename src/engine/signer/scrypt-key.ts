import { type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';

/** Cost of each guess of a passphrase. Memory use is about 128 · N · r bytes. */
export interface ScryptCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** OWASP's recommendation for interactive use: about 128 MiB and a third of a second. */
export const DEFAULT_SCRYPT: ScryptCost = { N: 2 ** 17, r: 8, p: 1 };

const derive = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt);

/** Derives a 32-byte key with scrypt (RFC 7914), outside of the event loop. */
export const scryptKey = (passphrase: string, salt: Uint8Array, { N, r, p }: ScryptCost): Promise<Buffer> =>
  derive(passphrase, salt, 32, { N, r, p, maxmem: 256 * r * (N + p) });
