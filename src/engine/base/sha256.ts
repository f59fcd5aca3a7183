import { hash } from 'node:crypto';

export const sha256 = (bytes: Uint8Array): Buffer => hash('sha256', bytes, 'buffer');

/** SHA-256 of a text in UTF-8, as 32 bytes. */
export const sha256Text = (text: string): Buffer => hash('sha256', text, 'buffer');

/** The same as hex digits. */
export const sha256Hex = (text: string): string => hash('sha256', text, 'hex');
