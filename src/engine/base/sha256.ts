import { hash } from 'node:crypto';

/** SHA-256 by the runtime: 32 bytes. */
export const sha256 = (bytes: Uint8Array): Buffer => hash('sha256', bytes, 'buffer');
