import { join } from 'node:path';

/** Where an unencrypted copy of the database is while it is being sent. */
export const copyingFolder = (dir: string): string => join(dir, 'copy.tmp');
