import { hash } from 'node:crypto';

export const sha256 = (bytes: Uint8Array): Buffer => hash('sha256', bytes, 'buffer');
