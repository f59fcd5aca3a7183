import { hash } from 'node:crypto';

export const sha256 = (bytes: Uint8Array): Buffer => hash('sha256', bytes, 'buffer');

/** SHA-256 of a text in UTF-8, as 32 bytes. From digits, since Node's own buffer for them takes as long as the hash. */
export const sha256Text = (text: string): Buffer => Buffer.from(hash('sha256', text, 'hex'), 'hex');

/** The same as hex digits. */
export const sha256Hex = (text: string): string => hash('sha256', text, 'hex');
